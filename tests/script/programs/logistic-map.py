# gives: 0.51304388 0.799271286

def f(x):
    for i in range(10):
        x = 3.2 * x * (1 - x)
    return x
f(array([0.5, 0.25]))
