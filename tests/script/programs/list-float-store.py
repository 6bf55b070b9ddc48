# gives: 0 1 3

def f(x):
    l = [0, 0, 0]
    for i in range(3):
        l[i] = i * 0.5
    return x * array(l)
f(array([1.0, 2.0, 3.0]))
