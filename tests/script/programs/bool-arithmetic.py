# gives: 10 10 2

def f(x):
    return (x > 1) * x + (x <= 1) * 10
f(array([0.0, 1.0, 2.0]))
