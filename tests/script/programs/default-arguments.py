# gives: 2.25 4.25

def f(x, k=2, shift=1.0):
    return x * k + shift
f(array([1.0, 2.0]), shift=0.25)
