# gives: 0.5 2.5 -5.5 6.5

def f(x):
    y = 0.0
    for c in [1.0, -2.0, 3.0, 0.5]:
        y = y * x + c
    return y
f(array([0.0, 1.0, -1.0, 2.0]))
