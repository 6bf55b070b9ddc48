# gives: 9 12 15 19 26 33 29 40 51 1 4 2 5 3 6 2 6 2

def f(x):
    n, m = x.shape
    y = reshape(x, (m, n))
    return y @ x.reshape(n, m), x.T, x.ndim, x.size, len(x)
f(array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
