# gives: 5 5

def f(x):
    y = x * 2 if sum(x) > 3 else x * 3
    return y + (1 if x[0] > 1 else 2)
f(array([1.0, 1.0]))
