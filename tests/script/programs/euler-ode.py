# gives: 0.69735688 0.34867844

def f(y):
    t = 0.0
    while t < 0.95:
        y = y + 0.1 * (-y + t)
        t += 0.1
    return y
f(array([1.0, 0.0]))
