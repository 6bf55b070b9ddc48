# gives: 3 6

def f(x):
    for x in [1.0, 2.0, 3.0]:
        y = x * 2
    return x, y
f(array([9.0]))
