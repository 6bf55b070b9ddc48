# gives: 0.525744379 0.850642622 3.61803389

def f(a):
    v = ones(2)
    for i in range(10):
        v = a @ v
        v = v / sqrt(sum(v * v))
    return v, v @ a @ v
f(array([[2.0, 1.0], [1.0, 3.0]]))
