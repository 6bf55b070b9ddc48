# gives: 0.3125 0.625 5

def f(x):
    n = 0
    while sum(x) > 1:
        x = x / 2
        n += 1
    return x, n
f(array([10.0, 20.0]))
