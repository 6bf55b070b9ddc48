# gives: 3 4 5 6 8 10

def f(a, b):
    return a[:, None] * b[None, :]
f(array([1.0, 2.0]), array([3.0, 4.0, 5.0]))
