# gives: 11

def f(x):
    for i in range(4):
        last = x[i] * 2
    return last + i
f(array([1.0, 2.0, 3.0, 4.0]))
