# gives: 1 2 4 7

def f(x):
    for p in [[0, 1], [2, 3], [0, 2], [1, 3], [1, 2]]:
        i = int(p[0])
        j = int(p[1])
        lo = min(x[i], x[j])
        hi = max(x[i], x[j])
        x = copy(x)
        x[i] = lo
        x[j] = hi
    return x
f(array([4.0, 2.0, 7.0, 1.0]))
