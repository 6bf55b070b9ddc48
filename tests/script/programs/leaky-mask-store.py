# gives: -0.300000012 -0.0500000007 0.5 2

def f(x):
    y = copy(x)
    y[y < 0] *= 0.1
    y[y > 2] = 2
    return y
f(array([-3.0, -0.5, 0.5, 3.0]))
