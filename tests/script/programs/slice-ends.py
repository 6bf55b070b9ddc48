# gives: 1 2 2 3

def f(x):
    return x[10:], x[-10:2], x[3:1], x[1:100]
f(array([1.0, 2.0, 3.0]))
