# gives: 5

def f(x):
    a = [2, 3]
    b = [4, 5]
    c = a + b
    return x + len(c)
f(array([1.0]))
