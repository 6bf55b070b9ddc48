# gives: 89 55 55 34

def f(a):
    r = array([[1.0, 0.0], [0.0, 1.0]])
    n = 10
    while n > 0:
        if n % 2 == 1:
            r = r @ a
        a = a @ a
        n //= 2
    return r
f(array([[1.0, 1.0], [1.0, 0.0]]))
