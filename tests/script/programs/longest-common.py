# gives: 4

def f(a, b):
    n = len(a)
    m = len(b)
    t = zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                t[i, j] = t[i - 1, j - 1] + 1
            else:
                t[i, j] = max(t[i - 1, j], t[i, j - 1])
    return t[n, m]
f(array([1.0, 3.0, 4.0, 1.0, 2.0]), array([3.0, 4.0, 1.0, 2.0, 1.0]))
