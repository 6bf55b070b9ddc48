# refused: shared its elements

def f(x):
    y = x * 1
    row = y[0]
    y[0, 0] = 5
    return row
f(array([[1.0, 2.0]]))
