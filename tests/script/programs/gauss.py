# gives: 2 3 -1

def f(a, b):
    n = 3
    a = copy(a)
    b = copy(b)
    for i in range(n):
        for j in range(i + 1, n):
            r = a[j, i] / a[i, i]
            a[j] -= r * a[i]
            b[j] -= r * b[i]
    x = zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1:] @ x[i + 1:]) / a[i, i]
    return x
f(array([[2.0, 1.0, -1.0], [-3.0, -1.0, 2.0], [-2.0, 1.0, 2.0]]), array([8.0, -11.0, -3.0]))
