# gives: 1 2 3
# not compiled: 'found' gets its value in the loop

def f(x):
    for i in range(3):
        if x[i] > 5:
            found = 1
            break
    else:
        found = 0
    return found + x
f(array([1.0, 2.0, 3.0]))
