# gives: 4.5 1

def f(s, t):
    v = s[0]
    for i in range(1, 3):
        v = max(v[:, None] + t, axis=0) + s[i]
    return max(v), argmax(v)
f(array([[0.0, 1.0], [2.0, 0.0], [1.0, 1.5]]), array([[0.5, -0.5], [-1.0, 1.0]]))
