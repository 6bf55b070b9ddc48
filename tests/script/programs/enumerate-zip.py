# gives: 27 22

def f(x):
    s = x * 0
    for i, (a, b) in enumerate(zip(x, [1, 2, 3]), 2):
        s = s + i * a * b
    for i, v in enumerate(x):
        s = s + i * v
    for a, b in zip(x, x[::-1]):
        s[0] += a * b / 3
    return s - x
f(array([2.0, 3.0]))
