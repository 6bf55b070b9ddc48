# gives: 4 4 4

def f(x):
    y = x * 0
    if sum(x) > 0:
        for r in x:
            if r < 0:
                continue
            y = y + r
    else:
        while sum(y) < 10:
            y = y + 1
    return y
f(array([1.0, -2.0, 3.0]))
