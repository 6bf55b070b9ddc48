# gives: 21.5 22.5 6

def f(x):
    n = 0
    while True:
        n = n + 1
        x = x + n
        if x[0] > 20:
            break
    return x, n
f(array([0.5, 1.5]))
