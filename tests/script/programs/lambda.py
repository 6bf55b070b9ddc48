# refused: is not part of the language

def f(x):
    return (lambda y: y)(x)
f(array([1.0]))
