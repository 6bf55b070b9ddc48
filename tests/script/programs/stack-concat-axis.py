# gives: 1 2 2 3 1 2 1 2

def f(x):
    return stack([x, x + 1], axis=1), concatenate([x, x])
f(array([1.0, 2.0]))
