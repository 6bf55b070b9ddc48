# refused: ScatterND

def f(x):
    y = copy(x)
    y[y > 1] = array([1.0, 2.0])
    return y
f(array([0.5, 1.5, 2.5, 3.5]))
