# gives: 18

def f(x):
    w = [1, 5, 7]
    w[1] += 2
    w[0] *= 10
    return x + w[0] + w[1]
f(array([1.0]))
