# gives: 9

def f(x):
    l = [0] * 4
    for i in range(4):
        l[i] = i * i
    return x * l[3]
f(array(1.0))
