# gives: 89 89 89

def f(x):
    total = zeros(3)
    for i in range(3):
        for j in range(4):
            total = total + x[i, j] * (i + 1) - j
    return total
f(array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0]]))
