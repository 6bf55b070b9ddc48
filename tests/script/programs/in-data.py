# gives: 2

def f(x):
    if x in (1, 2):
        return x
    return -x
f(array(2.0))
