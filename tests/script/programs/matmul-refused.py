# refused: inner dimensions differ

def f(x, y):
    return x @ y
f(ones((2, 3)), ones((2, 3)))
