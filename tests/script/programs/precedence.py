# gives: 5 1 0

def f(x):
    return 2 + 3 * 4 ** 2 // 5 % 7 - -x, not 1 == 2, 1 < 2 == True
f(array(1.0))
