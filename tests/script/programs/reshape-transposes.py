# gives: 0 3 1 4 2 5 0 2 4 1 3 5

def f(x):
    return x.reshape(2, 3).T.reshape(6), x.reshape((3, 2)).T
f(arange(6.0))
