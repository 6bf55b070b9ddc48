# gives: -1 1 2 3

def f(x):
    x = copy(x)
    n = len(x)
    for i in range(n):
        k = i + argmin(x[i:])
        t = x[i]
        x[i] = x[k]
        x[k] = t
    return x
f(array([3.0, 1.0, 2.0, -1.0]))
