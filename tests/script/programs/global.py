# refused: is not part of the language

n = 1
def f(x):
    global n
    n = 2
    return x
f(array([1.0]))
