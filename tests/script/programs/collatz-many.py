# gives: 8 16 0

def f(x):
    n = zeros(3)
    for i in range(3):
        v = x[i]
        while v != 1:
            if v % 2 == 0:
                v = v // 2
            else:
                v = 3 * v + 1
            n[i] += 1
    return n
f(array([6, 7, 1]))
