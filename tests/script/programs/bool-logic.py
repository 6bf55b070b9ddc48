# gives: 2 0

def f(x):
    a = x[0] > 0 and x[1] > 0
    b = x[0] > 0 or x[1] > 0
    c = not a
    if a or (b and c):
        return x + 1
    return x - 1
f(array([1.0, -1.0]))
