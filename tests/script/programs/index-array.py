# gives: 5 6 1 2 1 2 4 2

def f(x):
    return x[array([2, 0, 0])], x[array([1, 0]), 1:]
f(array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
