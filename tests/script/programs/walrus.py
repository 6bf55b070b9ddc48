# refused: 'n := x' is not part of the language

def f(x):
    while (n := x) < 3:
        x = x + 1
    return n
f(array(1.0))
