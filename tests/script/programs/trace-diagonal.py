# gives: 15 7

def f(a):
    t = 0.0
    for i in range(3):
        t += a[i, i]
        a = a.T
    return t, a[0, 2]
f(array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]))
