# gives: 6 8 10 12 14 16 24 42 3 12 21 30 1

def f(x):
    return sum(x, axis=0), sum(x, axis=(0, 2)), x.sum(axis=-1), sum(x, axis=1, keepdims=True).shape[1]
f(reshape(arange(12.0), (2, 2, 3)))
