# gives: 5

def f(x):
    a = [2, 3]
    a = a * 2
    return x + len(a)
f(array([1.0]))
