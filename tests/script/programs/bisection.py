# gives: 1.52137971

def f(lo, hi):
    for i in range(30):
        m = (lo + hi) / 2
        if m * m * m - m - 2 > 0:
            hi = m
        else:
            lo = m
    return lo
f(array(1.0), array(2.0))
