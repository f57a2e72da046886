"""motion.py: what the reference computations share: Runge and Kutta's rule, halving, linear equations."""


def step(rate, t, state, dt):
    """One step of the classical rule of order four for state' = rate(t, state)."""
    def moved(by, k):
        return [x + by * dx for x, dx in zip(state, k)]
    k1 = rate(t, state)
    k2 = rate(t + dt / 2, moved(dt / 2, k1))
    k3 = rate(t + dt / 2, moved(dt / 2, k2))
    k4 = rate(t + dt, moved(dt, k3))
    return [x + dt / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(state, k1, k2, k3, k4)]


def first(holds, low, high):
    """Where a condition that holds at high, not at low, begins to hold."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def solve(matrix, right):
    """The solution of linear equations, by elimination with row exchange."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            part = rows[i][k] / rows[k][k]
            for j in range(k, n + 1):
                rows[i][j] -= part * rows[k][j]
    found = [0.0] * n
    for k in reversed(range(n)):
        found[k] = (rows[k][n] - sum(rows[k][j] * found[j] for j in range(k + 1, n))) / rows[k][k]
    return found
