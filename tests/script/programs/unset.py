# refused: before it gets a value

def f(x):
    if sum(x) > 100:
        y = x
    return y
f(array([1.0]))
