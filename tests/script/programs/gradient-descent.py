# gives: 2.06695332 0.803149122

def f(x, y):
    w = 0.0
    b = 0.0
    for i in range(50):
        e = w * x + b - y
        w = w - 0.05 * mean(e * x)
        b -= 0.05 * mean(e)
    return w, b
f(array([1.0, 2.0, 3.0, 4.0]), array([3.0, 5.0, 7.0, 9.0]))
