# gives: 4

def f(x):
    return x + array([10], dtype=uint8)
f(array([250], dtype=uint8))
