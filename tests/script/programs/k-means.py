# gives: 1.5 11

def f(x, c):
    for t in range(4):
        d = (x[:, None] - c[None, :]) ** 2
        near = argmin(d, axis=1)
        for k in range(2):
            m = x[near == k]
            if m.size > 0:
                c = concat([c[:k], mean(m, keepdims=True), c[k + 1:]])
    return c
f(array([1.0, 2.0, 10.0, 11.0, 12.0]), array([0.0, 5.0]))
