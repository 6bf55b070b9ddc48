# gives: -1 3

def f(x):
    if sum(x) > 0:
        y = x * 2
    else:
        y = -x
    return y
f(array([1.0, -3.0]))
