# gives: 2 3 4 3 5 7 2 3 4 3 5 7

def f(a, b, c):
    return a + b * c
f(ones((2, 1, 3)), array([[1.0], [2.0]]), array([1.0, 2.0, 3.0]))
