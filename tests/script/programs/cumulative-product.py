# gives: 1 2 6 24

def f(x):
    p = 1.0
    y = zeros(4)
    for i, v in enumerate(x):
        p = p * v
        y[i] = p
    return y
f(array([1.0, 2.0, 3.0, 4.0]))
