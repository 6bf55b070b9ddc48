# gives: 7

def f(x):
    return x + sum([1, 2] + [3])
f(array([1.0]))
