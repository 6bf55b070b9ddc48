# gives: 112

def f(x):
    i = 0
    while i < 3:
        i += 1
    else:
        x = x + 100
    return x + i
f(array([9.0]))
