# gives: 2

def f(x):
    r = 0
    for i in range(5):
        if x[i] < 0:
            r = i
            break
    else:
        r = 99
    return r
f(array([1.0, 2.0, -1.0, 4.0, 5.0]))
