# gives: 8 0

def f(x):
    for i in range(3):
        while True:
            x = x * 2
            if x > 5:
                return x, i
    return x, -1
f(array(1.0))
