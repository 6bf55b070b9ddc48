# refused: y

def f(x, y):
    return x
f(array([1.0]))
