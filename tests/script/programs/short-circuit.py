# gives: 3

def f(x):
    i = 0
    while i < 3 and x[i] > 0:
        i += 1
    return i
f(array([1.0, 2.0, 3.0]))
