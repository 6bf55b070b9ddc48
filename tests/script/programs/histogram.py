# gives: 1 2 0 3

def f(x):
    h = zeros(4)
    for v in x:
        h[int(v)] += 1
    return h
f(array([0, 1, 1, 3, 3, 3]))
