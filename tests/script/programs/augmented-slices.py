# gives: 5 5 6 3 0 -7

def f(x):
    y = zeros(6)
    y[1:4] += x
    y[::2] *= 3
    y[-1] -= 7
    y[:2] = 5
    return y
f(array([1.0, 2.0, 3.0]))
