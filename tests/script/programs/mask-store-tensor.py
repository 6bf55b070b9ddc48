# gives: 0.5 15 25

def f(x):
    y = copy(x)
    y[x > 1] = x[x > 1] * 10
    return y
f(array([0.5, 1.5, 2.5]))
