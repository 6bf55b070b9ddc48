# gives: 3 1 1 2 3

def f(x):
    return x[[2, 0, 0]], x[array([1, -1])]
f(array([1.0, 2.0, 3.0]))
