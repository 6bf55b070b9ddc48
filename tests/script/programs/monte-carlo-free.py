# gives: 35337 8

def f(n):
    s = 12345
    c = 0
    for i in range(n):
        s = (s * 1103 + 12345) % 65536
        if s % 3 == 0:
            c += 1
    return array([s, c])
f(30)
