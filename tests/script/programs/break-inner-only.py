# gives: 20 3 3

def f(x):
    s = 0.0
    for i in range(4):
        for j in range(4):
            if j > i:
                break
            s += x[j]
        if s > 12:
            break
    return s, i, j
f(array([1.0, 2.0, 3.0, 4.0]))
