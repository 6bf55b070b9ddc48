# gives: 5 8

def f(a, b):
    for i in range(5):
        a, b = b, a + b
    return a, b
f(array([0.0]), array([1.0]))
