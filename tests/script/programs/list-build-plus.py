# gives: 1 2 8 16 4

def f(x):
    l = [x]
    for i in range(3):
        l = l + [l[-1] * 2]
    return l[0], l[-1], len(l)
f(array([1.0, 2.0]))
