# gives: 3 2 4

def f(x):
    order = [2, 1]
    return x[order[0]], x[order[1]], x[order[0]] + 1
f(array([1.0, 2.0, 3.0]))
