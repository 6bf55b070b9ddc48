# gives: 5 6

def f(x):
    a, b = x
    c, d = a
    return b * c + d
f(array([[1.0, 2.0], [3.0, 4.0]]))
