# gives: 6

def f(x):
    a = zeros(1)
    for i in range(6):
        if x[i] > 0:
            a = a + x[i]
            continue
        a = a - 1
    return a
f(array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0]))
