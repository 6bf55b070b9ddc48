# gives: 0 0 1 0 1 0 0 0 0 0 0 1

def f(x):
    return where(x[:, None] == arange(4)[None, :], 1.0, 0.0)
f(array([2, 0, 3]))
