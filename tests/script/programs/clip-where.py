# gives: -1 -0.5 0.5 1

def f(x):
    return where(x > 1, 1.0, where(x < -1, -1.0, x))
f(array([-3.0, -0.5, 0.5, 3.0]))
