# gives: 7 4

def f(x):
    k = 4
    m = 1
    y = x * 7
    z = x
    if sum(x) > 0:
        m = k
        z = y
    else:
        m = k
        z = y
    return z, m
f(array([1.0]))
