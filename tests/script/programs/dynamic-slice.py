# gives: 24

def f(x):
    s = 0.0
    for i in range(4):
        s = s + sum(x[i:i + 2])
    return s
f(array([1.0, 2.0, 3.0, 4.0, 5.0]))
