# gives: 9 18

def f(x):
    i = 0
    s = 0.0
    while i < 6:
        i += 1
        if i % 2 == 0:
            continue
        s += x * i
    return s
f(array([1.0, 2.0]))
