# gives: 1025

def f(x):
    l = []
    for i in range(3):
        for j in range(i):
            l.append(i * 10 + j)
    return x + l[0] * 100 + l[2] + len(l)
f(array(1.0))
