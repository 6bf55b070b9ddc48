# gives: 1 2 1 2

def f(x):
    return zeros((2,) * 2) + x
f(array([1.0, 2.0]))
