# gives: 4 7

def f(x):
    y = x
    if x[0] > 5:
        y = x + 1
    elif x[0] > 2:
        y = x + 2
    elif x[0] > 0:
        y = x + 3
    return y
f(array([1.0, 4.0]))
