# gives: 3 6

def f(x):
    r = 0.0
    for i in range(3):
        def g(y):
            return y * i
        r += g(x)
    return r
f(array([1.0, 2.0]))
