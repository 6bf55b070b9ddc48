# gives: 2 1.8560338

def f(q, k, v):
    s = q @ k.T / sqrt(2.0)
    e = exp(s - max(s, axis=1, keepdims=True))
    p = e / sum(e, axis=1, keepdims=True)
    return p @ v
f(array([[1.0, 0.0], [0.0, 1.0]]), array([[1.0, 1.0], [0.0, 2.0], [1.0, 0.0]]), array([[1.0], [2.0], [3.0]]))
