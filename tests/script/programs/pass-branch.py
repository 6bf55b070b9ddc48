# gives: 2 4

def f(x):
    if x[0] > 100:
        pass
    else:
        x = x + 1
    return x
f(array([1.0, 3.0]))
