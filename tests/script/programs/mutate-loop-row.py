# gives: 1 0 2 2 3 4

def f(x):
    y = zeros((3, 2))
    for i in range(3):
        y[i] = x * i
        y[i, 0] += 1
    return y
f(array([1.0, 2.0]))
