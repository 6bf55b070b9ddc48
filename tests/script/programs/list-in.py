# gives: 10

def f(x):
    n = 0
    for i in range(6):
        if i in [1, 3, 5]:
            n += i
    return x + n
f(array(1.0))
