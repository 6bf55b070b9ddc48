# gives: 9 15

def f(x):
    for k, scale in [(1, 2.0), (0, 3.0)]:
        x = x * scale + k
    return x
f(array([1.0, 2.0]))
