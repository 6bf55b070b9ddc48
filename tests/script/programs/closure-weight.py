# gives: 4.5 5.5

w = array([[1.0, 2.0], [3.0, 4.0]])
b = array([0.5, -0.5])
def f(x):
    return x @ w + b
f(array([1.0, 1.0]))
