# gives: 0.654035568 0.65703845 0.574380398 0.576389134

def s(x):
    return 1 / (1 + exp(-x))
def f(x, c):
    for t in range(3):
        i = s(x[t] + c)
        g = tanh(x[t] * 2)
        c = s(x[t]) * c + i * g
    return c, tanh(c)
f(array([0.5, -1.0, 2.0]), array([0.1, 0.2]))
