# gives: 122 4

def f(x):
    n = 0
    while True:
        if x > 50:
            return x, n
        elif x < 0:
            return -x, n
        x = x * 3 - 1
        n = n + 1
f(array(2.0))
