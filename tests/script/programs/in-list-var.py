# gives: 6

def f(x):
    a = [2, 3]
    n = 0
    for i in range(5):
        if i in a:
            n += i
    return x + n
f(array([1.0]))
