# gives: 0 -0 1 -1 2 -2

def f(x):
    y = zeros((3, 2))
    for i in range(3):
        y[i] = x * i
    return y
f(array([1.0, -1.0]))
