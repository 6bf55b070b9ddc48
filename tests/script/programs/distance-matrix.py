# gives: 0 5 10 5 0 5 10 5 0

def f(x):
    d = x[:, None, :] - x[None, :, :]
    return sqrt(sum(d * d, axis=2))
f(array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]))
