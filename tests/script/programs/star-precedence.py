# gives: -1 -4 0.5 0.25 0 1

def f(x):
    return -x ** 2, 2 ** -x, -x[0] ** 2 + 1, not x[0] > 1 and x[1] > 1
f(array([1.0, 2.0]))
