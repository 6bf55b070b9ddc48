# gives: 0.693147182 0.367879421 1

def f(x):
    return where(x > 0, log(abs(x) + 1), exp(x))
f(array([1.0, -1.0, 0.0]))
