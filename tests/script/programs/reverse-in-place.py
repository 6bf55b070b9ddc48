# gives: 5 4 3 2 1

def f(x):
    y = copy(x)
    n = len(y)
    for i in range(n // 2):
        t = y[i]
        y[i] = y[n - 1 - i]
        y[n - 1 - i] = t
    return y
f(array([1.0, 2.0, 3.0, 4.0, 5.0]))
