def halves(x):
    s = sum(x)
    n = 0
    while s > 1:
        s = s / 2
        n += 1
    if n > 3:
        y = x * s
    else:
        y = -x
    return y + n
