# refused: neither true nor false

def f(x):
    if x > 0:
        return x
    return -x
f(array([1.0, 2.0]))
