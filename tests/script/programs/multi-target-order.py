# gives: 59

def f(x):
    i = 0
    l = [5, 6, 7]
    i, l[i] = 1, 9
    return x + l[0] * 10 + l[1]
f(array(0.0))
