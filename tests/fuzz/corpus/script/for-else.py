# gives: 40

def f(x):
    for i in range(3):
        x = x + 1
    else:
        x = x * 10
    return x
f(array([1.0]))
