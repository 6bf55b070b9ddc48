# gives: -3

def f(x):
    n = 0
    while n < 100:
        n += 1
        if x[0] * n > 7:
            return n * 10
        if x[1] * n > 9:
            break
    return -n
f(array([1.0, 4.0]))
