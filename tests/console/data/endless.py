def halvings(x):
    n = 0
    while x[0] != 1:
        x = x / 2
        n += 1
    return n
