# refused: 'b' is the list 'a'

def f(x):
    a = [x]
    b = [a, a]
    a += [x]
    return len(b[0])
f(array(2.0))
