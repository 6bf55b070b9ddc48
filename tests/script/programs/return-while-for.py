# gives: 8 -1

def f(x):
    n = 0
    while n < 10:
        for i in range(3):
            n += 1
            if x[i] < 0:
                return n, x[i]
        x = x - 1
    return 0, x[0]
f(array([3.0, 1.0, 2.0]))
