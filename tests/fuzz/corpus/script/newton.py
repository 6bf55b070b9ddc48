# gives: 1.41421569

def f(a):
    x = a
    for i in range(20):
        y = (x + a / x) / 2
        if abs(y - x) < 0.001:
            break
        x = y
    return x
f(array(2.0))
