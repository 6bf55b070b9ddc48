# gives: 2 4
# not compiled: a list of 2 and a list of 1

def f(x):
    l = [x]
    if sum(x) > 0:
        l.append(x * 2)
    return l[-1]
f(array([1.0, 2.0]))
