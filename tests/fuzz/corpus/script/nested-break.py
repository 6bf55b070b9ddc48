# gives: 11

def f(x):
    n = 0
    for i in range(4):
        for j in range(4):
            if x[i] + x[j] > 6:
                break
            n += 1
        if n > 9:
            break
    return n
f(array([1.0, 2.0, 3.0, 4.0]))
