# gives: 2 4

def f(x):
    if sum(x > 0) >= 2 and not any(x > 10):
        return x[x > 0] * 2
    return x
f(array([1.0, -1.0, 2.0]))
