# refused: shared its elements

def f(x):
    y = x * 1
    z = y
    y += 1
    return z
f(array([1.0]))
