# gives: 0.25 0.5

def f(x):
    y = x
    for i in range(int(sum(x))):
        y = y + 1
    return y
f(array([0.25, 0.5]))
