# gives: 11 21 22 42 33 63

def f(x, y):
    return x[:, None] * y + x[:, newaxis]
f(array([1.0, 2.0, 3.0]), array([10.0, 20.0]))
