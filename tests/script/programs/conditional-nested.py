# gives: -1 5

def f(x):
    s = sum(x)
    return x if s > 10 else (-x if s < 0 else x * 0)
f(array([1.0, -5.0]))
