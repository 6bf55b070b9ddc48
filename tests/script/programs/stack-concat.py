# gives: 1 3 2 4 1 2 3 4 2

def f(a, b):
    return stack([a, b], axis=1), concat([a, b]), stack([a, b]).shape[0]
f(array([1.0, 2.0]), array([3.0, 4.0]))
