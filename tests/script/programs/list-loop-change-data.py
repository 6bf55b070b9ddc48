# gives: 2 4 0
# not compiled: an item of a list is set by a number that is known

def f(x, n):
    l = [0, 0, 0]
    for i in range(n):
        l[i] = i + 1
    return array(l) + x
f(array([1.0, 2.0, 0.0]), array(2))
