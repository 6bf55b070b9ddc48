# gives: 6 0.078125 0.625

def f(x):
    n = 0
    while True:
        x = x / 2
        n += 1
        if max(x) < 1:
            break
    return n, x
f(array([5.0, 40.0]))
