# gives: 3 2

def f(x):
    l = [x, x + 1, x + 2]
    a = l.pop()
    return a, len(l)
f(array(1.0))
