# gives: 247 1

def f(x, y):
    z = x + y
    return z, z.dtype == int16
f(array([250], dtype=uint8), array([-3], dtype=int8))
