# gives: 16
# not compiled: a graph wants one type

def f(x):
    l = []
    while x < 10:
        x = x * 2
        l.append(x)
    return l[-1]
f(array(1.0))
