# refused: 'a' is the list 'b'

def f(x):
    a = [x, x]
    b = a
    b += [x + 1]
    return len(a), len(b)
f(array([1.0]))
