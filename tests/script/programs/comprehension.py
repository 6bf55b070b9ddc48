# refused: is not part of the language

def f(x):
    return [v for v in x]
f(array([1.0]))
