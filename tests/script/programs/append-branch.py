# gives: 2 4

def f(x):
    l = [x]
    if sum(x) > 0:
        l.append(x * 2)
    else:
        l.append(x * 3)
    return l[1]
f(array([1.0, 2.0]))
