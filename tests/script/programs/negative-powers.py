# refused: integers have no negative powers

def f(k):
    return 2 ** k
f(array([1, -1]))
