# refused: Add

def f(x, y):
    return x + y
f(array([1.0, 2.0, 3.0]), array([1.0, 2.0]))
