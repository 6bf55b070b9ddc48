# gives: 0 1 1 0 3 3 2 0 1 0 1 0 1 1 0 0 1 1 1

def f(x):
    m = x > 1
    return m + m, m * 3, sum(m), m & (x < 3), m ^ (x < 3), ~m, m | (x < 3)
f(array([0.0, 2.0, 4.0]))
