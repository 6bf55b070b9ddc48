# gives: 0 2 3 0

def f(x):
    y = x * 1
    y[y < 0] = 0
    y[y > 3] = 3
    return y
f(array([-1.0, 2.0, 7.0, -0.5]))
