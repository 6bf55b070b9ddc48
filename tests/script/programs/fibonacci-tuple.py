# gives: 6765 10946

def f(n):
    a, b = 0, 1
    for i in range(n):
        a, b = b, a + b
    return array([a, b])
f(20)
