# gives: 4

def g(l):
    l.append(9)
    return len(l)
def f(x):
    return x + g([1, 2])
f(array([1.0]))
