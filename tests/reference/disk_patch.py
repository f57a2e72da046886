"""disk_patch.py: the disk of scenes/disk_patch.yaml, which slides at v and spins at w = R ω: force and torque by quadrature over
the patch along rays from the point that is at rest, the motion by Runge and Kutta's rule until it ends."""
import math

from motion import step

G, R, MU, V, SPIN, STEPS, NODES = 9.81, 0.1, 0.3, 1, 5, 1000, 60


def legendre(x):
    """P_n and its derivative."""
    a, b = 1.0, x
    for k in range(2, NODES + 1):
        a, b = b, ((2 * k - 1) * x * b - (k - 1) * a) / k
    return b, NODES * (x * b - a) / (x * x - 1)


def gauss():
    """Nodes and weights of Gauss and Legendre's rule on [-1, 1]."""
    rule = []
    for k in range(NODES):
        x = math.cos(math.pi * (k + 0.75) / (NODES + 0.5))
        for _ in range(8):
            value, slope = legendre(x)
            x -= value / slope
        rule.append((x, 2 / ((1 - x * x) * legendre(x)[1] ** 2)))
    return rule


RULE = gauss()


def wrench(a):
    """Force over μN and torque over μNR, even pressure, at a = v/w: velocities are w times the distance d from a point at
    rest that is a R from the centre; U is the mean of d/R, the force its derivative."""
    U = F = 0
    for node, weight in RULE:
        if a < 1:  # rays from inside to the rim
            angle = math.pi * (node + 1) / 2
            near, far = 0, math.sqrt(1 - (a * math.sin(angle)) ** 2) - a * math.cos(angle)
            cosine = -math.cos(angle)
        else:  # rays through the disk
            t = math.pi * node / 2
            cosine = math.sqrt(1 - (math.sin(t) / a) ** 2)
            near, far = a * cosine - math.cos(t), a * cosine + math.cos(t)
            weight *= math.cos(t) / (2 * a * cosine)
        U += weight * (far**3 - near**3) / 3
        F += weight * cosine * (far**2 - near**2) / 2
    return F, U - a * F


def rate(_, state):
    F, T = wrench(state[0] / state[1])
    return -MU * G * F, -2 * MU * G * T, state[0], state[1] / R  # J = m R²/2


def motion(end):
    """To a time, or until it nearly rests: (t, state)."""
    t, state = 0.0, [V, SPIN * R, 0.0, 0.0]
    while t < end and max(state[:2]) > 1e-9:
        h = min(end - t, 0.4 / STEPS, 0.02 * max(state[:2]) / (MU * G))
        state = step(rate, t, state, h)
        t += h
    return t, state


def main():
    at = 0.38
    v, w = motion(at)[1][:2]
    print(f"ratio {v / w:.8f}")
    t, (v, w, x, phi) = motion(math.inf)
    slower = rate(t, (v, w))
    print(f"ends {t + math.hypot(v, w) / math.hypot(slower[0], slower[1]):.11f}")
    print(f"way {x:.12f}")
    print(f"turned {phi:.11f}")


if __name__ == "__main__":
    main()
