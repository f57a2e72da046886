"""ball.py: the ball of scenes/ball.yaml. It slides and drills with the friction of an ellipsoid, then rolls, both against rolling friction."""
import math

from motion import step

R, M, J, MU, DRILLING, ROLLING, G = 0.025, 0.5105, 1.276e-4, 0.2, 0.00665, 0.002, 9.81
N = M * G


def rate(_, state):
    """(v_x, v_y, ω_x, ω_y, ω_z); friction dissipates the most among the forces of its ellipsoid."""
    v_x, v_y, w_x, w_y, w_z = state
    slip = (v_x - R * w_y, v_y + R * w_x)
    power = math.sqrt((MU * slip[0]) ** 2 + (MU * slip[1]) ** 2 + (DRILLING * w_z) ** 2)
    t_x, t_y, drill = -N * MU ** 2 * slip[0] / power, -N * MU ** 2 * slip[1] / power, -N * DRILLING ** 2 * w_z / power
    way = (w_x, w_y) if math.hypot(w_x, w_y) > 1e-12 else (t_y, -t_x)
    roll = [-ROLLING * N * part / math.hypot(*way) for part in way]
    return t_x / M, t_y / M, (R * t_y + roll[0]) / J, (-R * t_x + roll[1]) / J, drill / J


def slip_of(state):
    return math.sqrt((state[0] - R * state[3]) ** 2 + (state[1] + R * state[2]) ** 2 + (R * state[4]) ** 2)


def main():
    t, state, dt = 0.0, [0.0, 1.0, 0.0, 0.0, 50.0], 1e-4
    while slip_of(state) > 1e-7:
        after = step(rate, t, state, dt)
        lost = slip_of(state) - slip_of(after)
        if lost > 0.05 * slip_of(state):  # the end: ever smaller steps
            dt /= 2
            continue
        t, state = t + dt, after
    print(f"sticks {t:.4f}")
    speed = math.hypot(state[0], state[1])
    print(f"rests {t + speed * (M + J / R ** 2) * R / (ROLLING * N):.4f}")


if __name__ == "__main__":
    main()
