"""oblique_oscillator.py: the body of scenes/oblique_oscillator.yaml while its three feet slide: three coordinates, and three normal
forces from the balances of z, alpha and beta, which stay zero. With the printed data it slides to the end; where it can rest, it first
does when all three velocities vanish."""
import math

from motion import solve, step

M, C, G = 0.663, 1.75e-3, 9.81
A_1, A_2, DA, B_1, B_2, B_3, H_S, DH = 0.0424, 0.0496, 0.0035, 0.001, 0.025, 0.031, 0.0374, 0.0045
L_1, L_2, L_3, OMEGA, F_0 = 0.0104, 0.043, 0.0165, 19.6, 0.055 * 0.011 * 19.6 ** 2


def feet(t, angle, speeds, mu):
    """Of every foot: rows of its gap and slip, and friction for a normal force of one."""
    far = A_2 - DA * math.cos(OMEGA * t)
    for p, q in ((A_1 + DA * math.cos(OMEGA * t), -B_1), (-far, B_2), (-far, -B_3)):
        along, across = p * math.cos(angle) - q * math.sin(angle), p * math.sin(angle) + q * math.cos(angle)
        slip = (speeds[0] + across * speeds[2], speeds[1] - along * speeds[2])
        speed = math.hypot(*slip)
        yield along, across, -mu * slip[0] / speed, -mu * slip[1] / speed


def rate(delta, mu):
    def of(t, state):
        angle, speeds = state[2], state[3:]
        cos, sin = math.cos(OMEGA * t), math.sin(OMEGA * t)
        height, l_1, l_3 = H_S + DH * sin, L_1 - DA * cos, L_3 + DH * sin
        c, s = math.cos(angle), math.sin(angle)
        all_feet = list(feet(t, angle, speeds, mu))
        balances = [[1] * 3,
                    [-across + height * t_y for _, across, _, t_y in all_feet],
                    [along - height * t_x for along, _, t_x, _ in all_feet]]
        loads = [M * G * math.cos(delta) - F_0 * sin,
                 -F_0 * (l_1 * s * sin - L_2 * c * sin + l_3 * s * cos),
                 F_0 * (l_1 * c * sin + L_2 * s * sin + l_3 * c * cos)]
        normal = solve(balances, loads)
        x = M * G * math.sin(delta) + F_0 * c * cos + sum(n * foot[2] for n, foot in zip(normal, all_feet))
        y = F_0 * s * cos + sum(n * foot[3] for n, foot in zip(normal, all_feet))
        turn = F_0 * L_2 * cos + sum(n * (across * t_x - along * t_y) for n, (along, across, t_x, t_y) in zip(normal, all_feet))
        return (*speeds, x / M, y / M, turn / C)
    return of


def start(rates):
    """From rest: velocities along the accelerations that belong to them."""
    state = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    for _ in range(400):
        accelerations = rates(0, state)[3:]
        state = [0.0, 0.0, 0.0, *(0.8 * v + 0.2 * a for v, a in zip(state[3:], accelerations))]
    return [0.0, 0.0, 0.0, *(1e-9 * v for v in state[3:])]


def slides(delta, mu, end, steps):
    rates = rate(delta, mu)
    state = start(rates)
    for k in range(steps):
        state = step(rates, k * end / steps, state, end / steps)
    return state


def rests(delta, mu):
    """When and where it first comes to rest: steps shrink with the velocities, which end together."""
    def size(s):
        return math.hypot(s[3], s[4], 0.05 * s[5])
    rates = rate(delta, mu)
    t, state, dt = 0.0, start(rates), 1e-4
    while t < 0.01 or size(state) > 1e-9:
        after = step(rates, t, state, dt)
        if t > 0.01 and abs(size(state) - size(after)) > 0.05 * size(state):
            dt /= 2
            continue
        t, state = t + dt, after
    return t, state


def main():
    end = slides(0.115, 0.098, 2, 2000)
    print(f"x_at_2_s {end[0]:.9f}")
    print(f"gamma_at_2_s {end[2]:.9f}")
    for name, delta, mu in (("flatter", 0.085, 0.098), ("rougher", 0.115, 0.13)):
        t, state = rests(delta, mu)
        print(f"{name}_first_rest {t:.8f}")
        print(f"{name}_x_at_first_rest {state[0]:.9f}")
        print(f"{name}_gamma_at_first_rest {state[2]:.9f}")


if __name__ == "__main__":
    main()
