# gives: 6

def f(x):
    s = 0.0
    for i in range(3):
        for j in range(3):
            if (i + j) % 2 == 0:
                continue
            if x[i] > 2:
                continue
            s = s + x[j]
    return s
f(array([1.0, 2.0, 3.0]))
