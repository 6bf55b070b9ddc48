# gives: 1.5 2 2.5

def f(n):
    return n / 2
f(array([3, 4, 5]))
