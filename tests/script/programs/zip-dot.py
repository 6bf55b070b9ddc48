# gives: 32

def f(a, b):
    s = 0.0
    for x, y in zip(a, b):
        s += x * y
    return s
f(array([1.0, 2.0, 3.0]), array([4.0, 5.0, 6.0]))
