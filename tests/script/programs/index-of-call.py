# gives: 5 7

def f(x):
    def g(y):
        return y * 2, y + 1
    return g(x)[0] + g(x)[1][1]
f(array([1.0, 2.0]))
