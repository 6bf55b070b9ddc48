# gives: -1 3.5 2.5 1.5 0.5

def f(x):
    y = copy(x)
    for i in range(len(x) // 2):
        y[i], y[-1 - i] = y[-1 - i], y[i]
    return y
f(array([0.5, 1.5, 2.5, 3.5, -1.0]))
