# refused: 2 names for 3 values

def f(x):
    a, b = x
    return a
f(array([1.0, 2.0, 3.0]))
