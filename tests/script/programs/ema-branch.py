# gives: 2.125

def f(x):
    m = x[0]
    for i in range(1, 5):
        if abs(x[i] - m) > 3:
            continue
        m = 0.5 * m + 0.5 * x[i]
    return m
f(array([1.0, 2.0, 100.0, 3.0, 2.0]))
