# gives: 5

def f(x):
    m = 0.0
    out = []
    for i in range(4):
        m += (x[i] - m) / (i + 1)
    return m
f(array([1.0, 3.0, 5.0, 11.0]))
