# refused: belongs to the caller

def g(l):
    l += [1]
def f(x):
    a = [x, x]
    g(a)
    return x + len(a)
f(array([1.0]))
