# gives: 18

def f(x):
    sum = x * 2
    return sum
f(array([9.0]))
