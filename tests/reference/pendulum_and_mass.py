"""pendulum_and_mass.py: scenes/pendulum_and_mass.yaml, phase by phase: Runge and Kutta's rule between events that are found by halving.

Impacts by Newton's law with friction on the guided mass: with the contact's impulse L along (cos φ, sin φ) the guide gives
-L sin φ, and friction at most μ L |sin φ|. No contact of finite duration occurs; that is checked."""
import math

from motion import first, step

G, M_P, LENGTH, H = 9.81, 1, 0.6, 0.5
M, R, X_0, C, MU, EPSILON = 0.5, 0.03, 0.1, 50, 0.3, 0.5
J = M_P * LENGTH ** 2 / 3
END, STEP = 2, 1e-4


def rate(slip):
    """slip: the direction in which the mass slides, 0 while it sticks."""
    def of(_, state):
        angle, turn, x, speed = state
        force = 0 if slip == 0 else -C * (x - X_0) - slip * MU * M * G
        return turn, -M_P * G * LENGTH / 2 * math.sin(angle) / J, speed, force / M
    return of


def moved(state, slip, dt):
    return step(rate(slip), 0, state, dt)


def gap(state):
    return state[2] * math.cos(state[0]) - H * math.sin(state[0]) - R


def lever(state):
    return -state[2] * math.sin(state[0]) - H * math.cos(state[0])


def approach(state):
    return lever(state) * state[1] + math.cos(state[0]) * state[3]


def impact(state):
    """First that the mass sticks to its guide, else that it slides one way or the other."""
    angle, turn, x, speed = state
    w, cos, press = lever(state), math.cos(angle), MU * abs(math.sin(angle))
    wanted = -(1 + EPSILON) * approach(state)
    stuck = (wanted + cos * speed) / (w * w / J)  # the mass at rest afterwards
    friction = -M * speed - stuck * cos
    if stuck >= 0 and abs(friction) <= press * stuck:
        return [angle, turn + w * stuck / J, x, 0.0], 0
    for way in (1, -1):
        along = (cos - way * press) / M
        impulse = wanted / (w * w / J + cos * along)
        after = speed + along * impulse
        if impulse >= 0 and after * way > 0:
            return [angle, turn + w * impulse / J, x, after], way
    raise ArithmeticError("no solution of the impact")


def event(state, slip, after):
    """What ends a phase within a step: (duration, what), or None."""
    found = []
    if gap(after) < 0:
        found.append((first(lambda dt: gap(moved(state, slip, dt)) < 0, 0, STEP), "impact"))
    if slip and after[3] * slip <= 0:
        found.append((first(lambda dt: moved(state, slip, dt)[3] * slip <= 0, 0, STEP), "stops"))
    return min(found) if found else None


def resume(state):
    """How a mass that has stopped goes on."""
    pull = -C * (state[2] - X_0)
    return 0 if abs(pull) <= MU * M * G else math.copysign(1, pull)


def main():
    t, state, slip = 0.0, [-1.0, 0.0, X_0, 0.0], 0
    names = iter(["first", "second", "third"])
    while t < END - 1e-12:
        dt = min(STEP, END - t)
        after = moved(state, slip, dt)
        what = event(state, slip, after) if dt == STEP else None
        if not what:
            t, state = t + dt, after
            continue
        t, state = t + what[0], moved(state, slip, what[0])
        if what[1] == "impact":
            assert approach(state) < -1e-3, "a contact of finite duration"
            print(f"{next(names)}_impact {t:.9f}")
            state, slip = impact(state)
        else:
            state[3] = 0.0
        if slip == 0 or state[3] == 0:
            slip = resume(state)
    print(f"phi_at_end {state[0]:.9f}")
    print(f"x_at_end {state[2]:.9f}")


if __name__ == "__main__":
    main()
