# gives: 1 4 9

w = [1, 2]
def f(x):
    return x * array(w + [3])
f(array([1.0, 2.0, 3.0]))
