# gives: 0 102 2 104

def f(x):
    y = copy(x)
    y[y % 2 == 0] += 100
    y[~(y > 50)] -= 1
    return y
f(array([1, 2, 3, 4]))
