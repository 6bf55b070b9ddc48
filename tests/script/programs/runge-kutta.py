# gives: 0.540325403 -0.841448188

def f(y):
    def d(v):
        return concat([v[1:], -v[:1]])
    h = 0.25
    for i in range(4):
        a = d(y)
        b = d(y + h / 2 * a)
        c = d(y + h / 2 * b)
        e = d(y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + e)
    return y
f(array([1.0, 0.0]))
