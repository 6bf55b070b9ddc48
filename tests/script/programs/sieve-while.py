# gives: 10

def f(n):
    p = ones(n, dtype=bool)
    p[0] = False
    p[1] = False
    i = 2
    while i * i < n:
        if p[i]:
            p[i * i::i] = False
        i += 1
    return sum(p)
f(30)
