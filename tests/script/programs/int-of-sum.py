# gives: 0.5 1.5 2.5 4

def f(x, k):
    n = int(sum(k))
    return x[:n], int(k[2]) + 1
f(array([0.5, 1.5, 2.5, 3.5]), array([-1, 1, 3]))
