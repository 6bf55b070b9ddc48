# gives: 5

def f(x):
    r = 0.0
    for i in range(5):
        if 1 < x[i] <= 3 < x[i] + 2:
            r += x[i]
    return r
f(array([0.0, 1.0, 2.0, 3.0, 4.0]))
