# gives: 1 5 10 10 5 1

def f(n):
    r = zeros(6)
    r[0] = 1
    for i in range(n):
        for j in range(i + 1, 0, -1):
            r[j] += r[j - 1]
    return r
f(5)
