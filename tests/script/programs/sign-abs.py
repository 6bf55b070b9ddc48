# gives: 1.5 0 2.5 -1 0 1 -2 0 2 -1 0 3

def f(x):
    return abs(x), sign(x), floor(x), ceil(x)
f(array([-1.5, 0.0, 2.5]))
