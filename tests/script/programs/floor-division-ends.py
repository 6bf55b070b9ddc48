# gives: inf inf -inf 0 -1 0 -1 0 -1

def f(x, y):
    return x // 0, x[:2] // array([inf, -inf]), -x[:2] // array([-inf, inf]), x[1] // y, -x[1] // y
f(array([0.5, 1.5, -1.0]), array(inf))
