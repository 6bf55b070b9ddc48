# refused: belongs to the caller

def f(x):
    l = []
    def g(y):
        l.append(y)
    g(x)
    return x + len(l)
f(array(1.0))
