# refused: f"..." is not part of the language

def f(x):
    print(f"x is {x}")
    return x
f(array([1.0]))
