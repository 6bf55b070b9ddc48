# gives: 5

def f(x):
    l = []
    for i in range(3):
        l += [i]
    return x + sum(l)
f(array(2.0))
