# gives: 0 3 4 3 0 1 4 1 0

def f(d):
    d = copy(d)
    for k in range(3):
        for i in range(3):
            for j in range(3):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])
    return d
f(array([[0.0, 3.0, 100.0], [3.0, 0.0, 1.0], [100.0, 1.0, 0.0]]))
