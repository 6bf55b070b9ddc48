# gives: 3 4 3

def f(x):
    l = [1, 2, 3]
    l[0], l[2] = l[2], l[0]
    return x * array(l)
f(array([1.0, 2.0, 3.0]))
