# gives: 12 20

def f(x):
    k = 3
    def g(y):
        return y * k
    k = 4
    return g(x) + g(x + 1)
f(array([1.0, 2.0]))
