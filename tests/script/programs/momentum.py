# gives: 1.96599793 5.41267204 -1.05470335 2.46098018

def f(x):
    v = 0.0
    for i in range(20):
        g = 2 * (x - 3)
        v = 0.9 * v + g
        x = x - 0.05 * v
    return x, v
f(array([0.0, 10.0]))
