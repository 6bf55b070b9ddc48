# gives: 0 0 1 1 0 1 0 1 0 0 0 1 0 1 0 0 0 1 0 1

def f(n):
    s = ones(n)
    s[0] = 0
    s[1] = 0
    for i in range(2, n):
        if s[i] > 0:
            for j in range(i * i, n, i):
                s[j] = 0
    return s
f(20)
