# gives: 0 0 3 4 5 7 8 9

def f(w, v):
    best = zeros(8)
    for i in range(3):
        for c in range(7, -1, -1):
            if w[i] <= c:
                best[c] = max(best[c], best[c - int(w[i])] + v[i])
    return best
f(array([3, 4, 2]), array([4.0, 5.0, 3.0]))
