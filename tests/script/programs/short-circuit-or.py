# gives: 2

def f(x):
    r = 0
    for i in range(4):
        if i == 3 or x[i] < 0:
            r += 1
    return r
f(array([1.0, -2.0, 3.0]))
