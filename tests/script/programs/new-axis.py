# gives: 1 2 3 3 4 1

def f(x):
    return x[None].shape[0], x[:, None] + x[None, :], x[1:, None].shape[1]
f(array([1.0, 2.0]))
