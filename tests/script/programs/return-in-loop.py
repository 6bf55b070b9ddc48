# gives: -100

def f(x):
    for i in range(5):
        if x[i] < 0:
            return x[i] * 100
    return x[0]
f(array([3.0, 2.0, -1.0, 5.0, -7.0]))
