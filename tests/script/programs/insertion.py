# gives: 0 1 2 3

def f(x):
    y = copy(x)
    for i in range(1, len(y)):
        k = y[i] * 1
        j = i - 1
        while j >= 0 and y[j] > k:
            y[j + 1] = y[j]
            j -= 1
        y[j + 1] = k
    return y
f(array([3.0, 1.0, 2.0, 0.0]))
