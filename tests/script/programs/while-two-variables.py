# gives: 123 76 9

def f(a, b):
    n = 0
    while a < 100 and b < 100:
        a, b = a + b, a
        n += 1
    return a, b, n
f(array(1.0), array(2.0))
