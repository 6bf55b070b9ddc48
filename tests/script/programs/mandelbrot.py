# gives: 8 4 8

def f(cr, ci):
    zr = zeros(3)
    zi = zeros(3)
    n = zeros(3)
    for i in range(8):
        t = zr * zr - zi * zi + cr
        zi = 2 * zr * zi + ci
        zr = t
        alive = zr * zr + zi * zi < 4
        n += where(alive, 1.0, 0.0)
        zr = where(alive, zr, 0.0)
        zi = where(alive, zi, 0.0)
    return n
f(array([0.0, 1.0, -0.5]), array([0.0, 1.0, 0.5]))
