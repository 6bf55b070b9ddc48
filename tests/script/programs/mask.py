# gives: 5 3

def f(x):
    return x[x > 2]
f(array([1.0, 5.0, 2.0, 3.0]))
