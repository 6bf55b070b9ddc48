# gives: 5 12 3 8

def f(x):
    m = [[1, 2], [3, 4]]
    m[0] = [5, 6]
    return array(m) * x
f(array([1.0, 2.0]))
