# gives: 1 2 10 20

def f(x):
    k = 1.0
    def g(y):
        return y * k
    a = g(x)
    k = 10.0
    return a, g(x)
f(array([1.0, 2.0]))
