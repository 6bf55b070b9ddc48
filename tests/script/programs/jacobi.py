# gives: 0.166664988 0.333330005

def f(a, b):
    x = zeros(2)
    d = array([4.0, 5.0])
    for i in range(10):
        x = (b - (a @ x - d * x)) / d
    return x
f(array([[4.0, 1.0], [2.0, 5.0]]), array([1.0, 2.0]))
