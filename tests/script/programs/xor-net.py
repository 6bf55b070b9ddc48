# gives: 0 1 1 0

def f(x):
    w = array([[1.0, 1.0], [1.0, 1.0]])
    h = maximum(x @ w + array([0.0, -1.0]), 0.0)
    return h @ array([1.0, -2.0])
f(array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))
