# gives: 1 3 6 10 1 3 6 10

def f(x):
    y = copy(x)
    for i in range(1, len(x)):
        y[i] = y[i] + y[i - 1]
    return y, cumsum(x)
f(array([1.0, 2.0, 3.0, 4.0]))
