# gives: 12

def f(x):
    n = 0
    for i in range(6):
        if i not in (1, 3):
            n += i
    return x + n
f(array(1.0))
