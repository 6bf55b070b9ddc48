# gives: 3.5 6 8.5

def f(x):
    l = [1, x, 2.5]
    return l[0] + l[1] * l[2]
f(array([1.0, 2.0, 3.0]))
