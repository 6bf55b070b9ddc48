# gives: 1 6 3

def f(x):
    c = [0] * 3
    for v in [0, 1, 1, 2, 1]:
        c[v] += 1
    return x * array(c)
f(array([1.0, 2.0, 3.0]))
