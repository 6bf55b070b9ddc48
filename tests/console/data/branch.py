# The textbook's example: which way the branch goes depends on the data.
w = array([1.0, -2.0, 3.0])


def f(x):
    s = sum(x * w)
    if s > 0:
        y = x * 2
    else:
        y = -x
    return y + s


def halve(x):
    n = 0
    while sum(x) > 1 and n < 10:
        x = x / 2
        n += 1
    return x, n


def running(x):
    acc = 0.0
    for row in x:
        acc = acc + row * row
        if acc > 10:
            break
    return acc


x = array([1.0, 2.0, 3.0])
print(f(x))
print(halve(x))
print(running(x))
print(grad(f)(x))
