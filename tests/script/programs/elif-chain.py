# gives: 4 9

def f(x):
    s = sum(x)
    if s > 10:
        k = 3
    elif s > 5:
        k = 2
    elif s > 0:
        k = 1
    else:
        k = 0
    return x * k
f(array([2.0, 4.5]))
