# gives: 11

def f(n):
    x = 1.0
    for i in range(n, 0):
        x = x * 2
    else:
        x = x + 10
    return x
f(3)
