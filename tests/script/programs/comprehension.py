# gives: 1

def f(x):
    return [v for v in x]
f(array([1.0]))
