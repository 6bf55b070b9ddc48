# gives: 14

def f(a):
    s = 0.0
    for i, x in enumerate(a, start=1):
        s += i * x
    return s
f(array([1.0, 2.0, 3.0]))
