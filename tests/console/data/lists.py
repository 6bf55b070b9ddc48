def t(x):
    m = [[0] * 2 for i in range(2)]
    m[1][0] = 5
    l = [3, 1]
    l.append(4)
    l.extend([1, 5])
    l.insert(0, 9)
    last = l.pop()
    l.reverse()
    return trace(array(m)), array(l), last, max([1, 2]), [v for v in x]


def positive(x):
    s = 0
    for v in x:
        if v > 0:
            s = s + v
    return s
