# gives: -1.0690434 -0.534521699 0 1.60356522

def f(x):
    m = mean(x)
    v = mean((x - m) ** 2)
    return (x - m) / sqrt(v + 0.00001)
f(array([1.0, 2.0, 3.0, 6.0]))
