# refused: not elementwise in Python

def f(x):
    w = [1, 5]
    return w + 1
f(array([1.0, 2.0]))
