# gives: 72 72

def f(x):
    s = x * 0
    for r in x:
        k = 0
        while True:
            k += 1
            if k > 3:
                break
            s = s + r
    while True:
        s = s * 2
        if sum(s) > 100:
            return s
f(array([1.0, 2.0]))
