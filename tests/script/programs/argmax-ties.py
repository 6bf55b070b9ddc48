# gives: 1 0 1 0 1 0

def f(x):
    return argmax(x), argmin(x), argmax(x, axis=0), argmax(x, axis=1)
f(array([[1.0, 3.0], [3.0, 1.0]]))
