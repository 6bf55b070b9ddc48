# refused: 5

def f(x):
    return x[5]
f(array([1.0, 2.0, 3.0]))
