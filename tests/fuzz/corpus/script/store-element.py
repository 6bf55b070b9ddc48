# gives: 1 102 3 11 12 13

def f(x):
    y = zeros((2, 3))
    for i in range(2):
        for j in range(3):
            y[i, j] = x[j] + i * 10
    y[0, 1] += 100
    return y
f(array([1.0, 2.0, 3.0]))
