# refused: calls itself

def g(x):
    return f(x)
def f(x):
    return g(x)
f(array([8.0]))
