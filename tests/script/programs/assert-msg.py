# refused: this does not hold: x[0] > 5: too small

def f(x):
    assert x[0] > 5, "too small"
    return x
f(array([1.0, 2.0]))
