# gives: 1 2 3 4 5

def f(x):
    y = copy(x)
    n = len(y)
    for i in range(n):
        for j in range(n - 1 - i):
            if y[j] > y[j + 1]:
                t = y[j] + 0
                y[j] = y[j + 1]
                y[j + 1] = t
    return y
f(array([5.0, 1.0, 4.0, 2.0, 3.0]))
