# gives: -2

def f(x):
    if x > 0:
        while True:
            x = x + 1
            if x > 5:
                return x
    else:
        x = x - 1
    return x
f(array(-1.0))
