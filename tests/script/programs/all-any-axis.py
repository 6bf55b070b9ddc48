# gives: 0 1 1 0 0 1

def f(x):
    return all(x > 0), any(x > 2), all(x > 0, axis=1), any(x > 2, axis=0)
f(array([[1.0, 3.0], [-1.0, 2.0]]))
