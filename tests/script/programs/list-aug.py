# gives: 3

def f(x):
    l = []
    for i in range(3):
        l += [x + i]
    return l[2]
f(array(1.0))
