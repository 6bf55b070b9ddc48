# refused: '+' of a list is not elementwise

def f(x):
    return x + sum([1, 2] + [3])
f(array([1.0]))
