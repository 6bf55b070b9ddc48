# refused: belongs to the caller

def f(x):
    x += 1
    return x
f(array([1.0]))
