# gives: 5 6
# not compiled: made in the graph, which has no lists

def f(x):
    if sum(x) > 0:
        l = [1, 2]
    else:
        l = [3, 4]
    return len(l + l) + x
f(array([1.0, 2.0]))
