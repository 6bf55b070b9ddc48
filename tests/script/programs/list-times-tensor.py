# gives: 1 4 2 4 5

def f(x):
    w = [1, 2]
    return w * x, x + w, x @ array(w)
f(array([1.0, 2.0]))
