# gives: 1 3 6 10 1 2 4 6 1 3 3 7 1 2 3 4 1 2 3 4

def f(m):
    return cumsum(m), cumsum(m, axis=0), m.cumsum(axis=-1), m.flatten(), ravel(m)
f(array([[1.0, 2.0], [3.0, 4.0]]))
