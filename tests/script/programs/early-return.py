# gives: 10 20

def f(x):
    if x[0] > 0:
        return x + 1
    x = x * 10
    if x[1] > 0:
        return x
    return -x
f(array([-1.0, -2.0]))
