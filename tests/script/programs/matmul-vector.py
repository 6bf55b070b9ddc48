# gives: 17 39 23 34 61

def f(a, v):
    return a @ v, v @ a, v @ v
f(array([[1.0, 2.0], [3.0, 4.0]]), array([5.0, 6.0]))
