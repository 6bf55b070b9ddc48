# refused: keeps the elements

def f(x):
    n = array([1, 2])
    n += 0.5
    return n
f(array([1.0]))
