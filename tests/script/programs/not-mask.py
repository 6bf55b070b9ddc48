# gives: 0 1 3

def f(x):
    return x[~(x > 1)], sum(x[(x > 0) & (x < 3)])
f(array([0.0, 1.0, 2.0, 3.0]))
