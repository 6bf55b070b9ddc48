# gives: 12

def f(x):
    for i in range(3):
        for j in range(3):
            if x[i] + x[j] == 5:
                return i * 10 + j
    return -1
f(array([1.0, 2.0, 3.0]))
