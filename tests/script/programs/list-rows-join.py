# gives: 5 3 7 4

def f(x):
    m = [[1, 2], [3, 4]]
    r = m[0] + m[1]
    return x + len(r), array(m) @ ones(2), len(m + m)
f(array([1.0]))
