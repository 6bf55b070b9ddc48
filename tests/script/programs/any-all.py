# gives: 1 0 2 0.666666667

def f(x):
    return any(x > 2), all(x > 2), sum(x > 1), mean(x > 1)
f(array([1.0, 2.0, 3.0]))
