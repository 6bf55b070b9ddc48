# gives: 2

def f(x):
    l = []
    for i in range(3):
        l.append(i)
    if l == [0, 1, 2] and l != [0, 1]:
        return x + 1
    return x
f(array([1.0]))
