# gives: 3

def f(x, t):
    lo, hi = 0, len(x) - 1
    while lo < hi:
        mid = (lo + hi) // 2
        if x[mid] < t:
            lo = mid + 1
        else:
            hi = mid
    return lo
f(array([1.0, 3.0, 5.0, 7.0, 9.0]), array(6.0))
