"""woodpecker.py: the toy of scenes/woodpecker.yaml by Moreau's midpoint rule with small steps, written down for its three contacts
alone: the matrices of Glocker 1995, impulses by successive projection. Measured between the second and the third blow of the beak.
An argument is the step: 1e-6 s gives 0.14608 s and -0.019555 m, which the scene compares with."""
import sys

M_M, M_S, J_M, J_S, C, G = 3e-4, 4.5e-3, 5e-9, 7e-7, 0.0056, 9.81
R_O, R_M, H_M, L_M, L_G, H_S, L_S, MU = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201, 0.3
END = 0.5
MASS = ((M_S + M_M, M_S * L_M, M_S * L_G), (M_S * L_M, J_M + M_S * L_M ** 2, M_S * L_M * L_G),
        (M_S * L_G, M_S * L_M * L_G, J_S + M_S * L_G ** 2))
# gap at zero, its row, its restitution, and the row of its slip: beak, lower edge, upper edge
CONTACTS = ((L_M + L_G - L_S - R_O, (0, 0, -H_S), 0.5, (1, L_M, L_G - L_S)),
            (R_M - R_O, (0, H_M, 0), 0, (1, R_M, 0)),
            (R_M - R_O, (0, -H_M, 0), 0, (1, R_M, 0)))


def inverse(m):
    def minor(i, j):
        a, b, c, d = [m[p][q] for p in range(3) if p != i for q in range(3) if q != j]
        return (-1) ** (i + j) * (a * d - b * c)
    det = sum(m[0][j] * minor(0, j) for j in range(3))
    return [[minor(j, i) / det for j in range(3)] for i in range(3)]


INVERSE = inverse(MASS)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def times(row):
    return [dot(line, row) for line in INVERSE]


RESPONSE = [(times(normal), times(slip)) for _, normal, _, slip in CONTACTS]


def impulses(closed, u, before):
    """Successive projection: normal impulses on half lines, friction on intervals."""
    held = {k: [0.0, 0.0] for k in closed}
    for _ in range(10_000):
        change = 0.0
        for k in closed:
            _, normal, epsilon, slip = CONTACTS[k]
            by_normal, by_slip = RESPONSE[k]
            wanted = max(0.0, held[k][0] - (dot(normal, u) + epsilon * before[k]) / dot(normal, by_normal))
            part, held[k][0] = wanted - held[k][0], wanted
            u = [x + part * y for x, y in zip(u, by_normal)]
            bound = MU * held[k][0]
            rub = min(bound, max(-bound, held[k][1] - dot(slip, u) / dot(slip, by_slip)))
            slid, held[k][1] = rub - held[k][1], rub
            u = [x + slid * y for x, y in zip(u, by_slip)]
            change = max(change, abs(part), abs(slid))
        if change <= 1e-15:
            return u
    raise ArithmeticError("no convergence")


def main(dt):
    t, q, u = 0.0, [0.0, -0.1036, -0.2788], [-0.3411, 0.0, -7.4583]
    blows, last = [], False
    while t < END and len(blows) < 3:
        q = [x + dt / 2 * v for x, v in zip(q, u)]
        twist = C * (q[1] - q[2])
        force = (-(M_S + M_M) * G, -twist - M_S * G * L_M, twist - M_S * G * L_G)
        closed = [k for k, contact in enumerate(CONTACTS) if contact[0] + dot(contact[1], q) <= 0]
        before = {k: dot(CONTACTS[k][1], u) for k in closed}
        u = [x + dt * y for x, y in zip(u, times(force))]
        if closed:
            u = impulses(closed, u, before)
        q = [x + dt / 2 * v for x, v in zip(q, u)]
        t += dt
        if 0 in closed and not last:
            blows.append((t, q[0]))
        last = 0 in closed
    print(f"period {blows[2][0] - blows[1][0]:.5f}")
    print(f"way_in_a_period {blows[2][1] - blows[1][1]:.6f}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1e-5)
