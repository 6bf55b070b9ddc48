# refused: z

def f(x, y=1):
    return x
f(array([1.0]), z=2)
