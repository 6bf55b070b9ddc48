# gives: 2

def f(x, mode="c"):
    if mode not in ["a", "b"]:
        return x
    return -x
f(array(2.0))
