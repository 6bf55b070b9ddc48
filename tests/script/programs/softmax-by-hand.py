# gives: 0.0900305733 0.244728461 0.665240943 3.78350585e-44 1.40129846e-44 1

def f(x):
    m = max(x, axis=1, keepdims=True)
    e = exp(x - m)
    return e / sum(e, axis=1, keepdims=True)
f(array([[1.0, 2.0, 3.0], [0.0, -1.0, 100.0]]))
