# gives: 1 10 30 40 25 6

def f(x):
    row = [1]
    for i in range(5):
        new = [1]
        for j in range(len(row) - 1):
            new.append(row[j] + row[j + 1])
        new.append(1)
        row = new
    return x * array(row)
f(array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
