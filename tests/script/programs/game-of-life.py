# gives: 0 0 0 0 0 0 1 0 0 0 0 0 1 1 0 0 1 1 0 0 0 0 0 0 0

def f(g):
    for t in range(3):
        n = zeros((5, 5))
        for i in range(5):
            for j in range(5):
                s = 0.0
                for a in range(-1, 2):
                    for b in range(-1, 2):
                        if not (a == 0 and b == 0):
                            s += g[(i + a) % 5, (j + b) % 5]
                n[i, j] = s
        g = where((n == 3) | ((g == 1) & (n == 2)), 1.0, 0.0)
    return g
f(array([[0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]]))
