# refused: is changed while a for goes over it

def f(x):
    y = copy(x)
    s = 0.0
    for v in y:
        s = s + v
        y[2] = 10
    return s
f(array([1.0, 2.0, 3.0]))
