# refused: '-' does not take a list

def f(x):
    w = [1, 5]
    return x + (-w)
f(array([1.0, 2.0]))
