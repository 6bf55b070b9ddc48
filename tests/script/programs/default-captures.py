# gives: 6 8

def f(x):
    a = 5.0
    def g(y, k=a):
        return y + k
    a = 7.0
    return g(x), g(x, a)
f(array([1.0]))
