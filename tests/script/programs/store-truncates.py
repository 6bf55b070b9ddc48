# gives: 2 8 4

def f(x):
    n = array([1, 2, 3])
    n[1] = 7.9
    return n + x
f(array([1, 1, 1]))
