# gives: 2 3

def f(x):
    if 0 < sum(x) <= 5:
        return x
    return -x
f(array([2.0, 3.0]))
