# refused: changed while a for goes over it

def f(x):
    l = [1, 2]
    for i in l:
        if len(l) < 5:
            l.append(i)
    return x
f(array(1.0))
