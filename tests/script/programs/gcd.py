# gives: 12

def f(a, b):
    while b != 0:
        a, b = b, a % b
    return a
f(array(84), array(36))
