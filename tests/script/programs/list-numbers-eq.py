# gives: 1

def f(x):
    a = [2, 3]
    if a == [2, 3]:
        return x
    return -x
f(array([1.0]))
