# gives: 105 109

x = array([100.0])
def g(x):
    y = x + 1
    return y
def f(x):
    y = x * 2
    z = g(y)
    return y + z
f(array([1.0, 2.0])) + x
