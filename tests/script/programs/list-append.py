# gives: 0 0 1 2 2 4 3 6

def f(x):
    l = []
    for i in range(4):
        l.append(x * i)
    return stack(l)
f(array([1.0, 2.0]))
