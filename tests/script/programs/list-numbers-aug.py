# gives: 5

def f(x):
    a = [2, 3]
    a += [1]
    return x + len(a) + a[2]
f(array([1.0]))
