# gives: 4 6 4.5 6.5 2 3

def g(x, a, b=3.0, c=1.0):
    return x * a + b - c
def f(x):
    return g(x, 2), g(x, a=2, c=0.5), g(c=2.0, a=1, x=x)
f(array([1.0, 2.0]))
