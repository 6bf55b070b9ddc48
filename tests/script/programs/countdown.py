# gives: 117

def f(x):
    y = zeros(1)
    for i in range(10, 0, -3):
        y = y * 2 + i * x
    return y
f(array([1.0]))
