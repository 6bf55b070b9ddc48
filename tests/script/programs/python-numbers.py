# gives: 4691

def f(x):
    a = 7 // 2
    b = -7 // 2
    c = -7 % 3
    d = 7 / 2
    e = 2 ** 10
    g = 2 ** -1
    h = 7.5 // 2
    k = -7.5 % 2
    return x + a + b * 10 + c * 100 + d * 1000 + e + g + h + k
f(array([0.0]))
