# gives: 2 1 3

def f(x):
    a, (b, c) = x[0], (x[1], x[2])
    a, b = b, a
    return a, b, c
f(array([1.0, 2.0, 3.0]))
