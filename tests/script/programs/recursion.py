# refused: calls itself

def f(x):
    if sum(x) < 1:
        return x
    return f(x / 2)
f(array([8.0]))
