# gives: 16

def f(x):
    y = zeros(1)
    n = int(sum(x))
    for i in range(1, n, 2):
        y = y + i
    return y
f(array([3.0, 5.5]))
