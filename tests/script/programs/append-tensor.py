# refused: a tensor has no append

def f(x):
    x.append(1)
    return x
f(array([1.0]))
