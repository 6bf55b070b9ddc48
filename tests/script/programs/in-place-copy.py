# gives: 6 9 1 2

def f(x):
    y = copy(x)
    z = copy(y)
    y += 1
    y *= 3
    return y, z
f(array([1.0, 2.0]))
