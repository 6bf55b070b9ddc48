# gives: 2.00026917

def f(a, b):
    n = 8
    h = (b - a) / n
    s = 0.0
    for i in range(n + 1):
        w = 1 if i == 0 or i == n else (4 if i % 2 == 1 else 2)
        s += w * sin(a + i * h)
    return s * h / 3
f(array(0.0), array(3.14159265))
