# gives: 1 2 -3 4 -5 -3 7 8 -3 -5 11 -3 13 14 -15

def f(n):
    return where(n % 15 == 0, -15, where(n % 5 == 0, -5, where(n % 3 == 0, -3, n)))
f(arange(1, 16))
