# gives: 2 11

def f(x):
    n = 1
    def g(y):
        return y + n
    a = g(x)
    n = 10
    return a, g(x)
f(array(1.0))
