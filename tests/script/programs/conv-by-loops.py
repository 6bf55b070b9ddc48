# gives: 1 3.5 10 0.5 1 3.5

def f(x, k):
    h = x.shape[0] - k.shape[0] + 1
    w = x.shape[1] - k.shape[1] + 1
    y = zeros((h, w))
    for i in range(h):
        for j in range(w):
            y[i, j] = sum(x[i:i + k.shape[0], j:j + k.shape[1]] * k)
    return y
f(array([[1.0, 2.0, 3.0, 0.0], [0.0, 1.0, 2.0, 3.0], [3.0, 0.0, 1.0, 2.0]]), array([[1.0, -1.0], [0.5, 2.0]]))
