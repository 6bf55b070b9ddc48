# gives: 0.25 0.5 1 1 2 4 7 3.5 1.75

def f(n):
    return n / 4, (n / 4) * 4, 7 / n
f(array([1, 2, 4]))
