# gives: 33

def g(l):
    l = l + [9]
    return len(l)
def f(x):
    a = [1, 2]
    return x + g(a) * 10 + len(a)
f(array([1.0]))
