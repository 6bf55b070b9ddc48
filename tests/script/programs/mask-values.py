# gives: 0.5 3 5 7 -1 10 1.5 2.5 3.5 20 1 2 3 9 10 11 1 2 30 4 50 60

def f(x, m):
    y = copy(x)
    y[y > 1] *= 2
    z = copy(x)
    z[z < 1] = array([10.0, 20.0])
    rows = copy(m)
    rows[m[:, 0] > 2] = rows[m[:, 0] > 2] + 5
    places = copy(m)
    places[m > 2] = places[m > 2] * 10
    places[places == 40] = 4
    return y, z, rows, places
f(array([0.5, 1.5, 2.5, 3.5, -1.0]), array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
