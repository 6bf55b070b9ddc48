# gives: 16 -26

def f(x):
    a = 2.0
    def g(y):
        def h(z):
            return z * a + x
        return h(y) + h(y + 1)
    return g(x * 3)
f(array([1.0, -2.0]))
