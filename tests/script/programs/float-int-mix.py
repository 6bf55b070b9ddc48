# gives: 1.5 3 4.5 3 4 5 1 2 2 0 1 2 1 2 3

def f(n):
    a = n * 1.5
    b = n + 2
    return a, b, b // 2, a // 2, n * True
f(array([1, 2, 3]))
