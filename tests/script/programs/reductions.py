# gives: 15.5 2.58333325 5 0.5 60 5 5.5 5 2.66666675 2.5 5 4 1 0 8 7.5

def f(x):
    return sum(x), mean(x), max(x), min(x), prod(x), sum(x, axis=0), mean(x, axis=1), max(x, axis=1), argmax(x, axis=1), sum(x, axis=1, keepdims=True)
f(array([[1.0, 5.0, 2.0], [4.0, 0.5, 3.0]]))
