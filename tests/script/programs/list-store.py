# gives: 6 1

def f(x):
    a = [x, x]
    a[0] = x + 5
    return a[0], a[1]
f(array([1.0]))
