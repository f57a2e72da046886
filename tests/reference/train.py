"""train.py: the two wagons of scenes/train2.yaml: until the coupling is taut the first one slides over the play, then both move with
one velocity, first with the wheels of both sliding, then with those of the second."""
from motion import first, step

M, R, J, A_T, A_R, DELTA, F, PLAY, STEP = 0.02, 0.01, 5e-7, 0.01, 0.005, 2, 0.05, 0.02, 1e-4
WHEEL = J / R ** 2


def rolling(speed):
    return A_R / (1 + DELTA * abs(speed))


def alone(_, state):
    """(velocity of the first wagon, way, rim of its wheels); the other one stands."""
    return (F - 2 * A_T) / M, state[0], (A_T - rolling(state[2])) / WHEEL


def both_slide(_, state):
    """(velocity, rim of the first wheels, which turn too fast; rim of the second, too slow)."""
    return F / (2 * M), (-A_T - rolling(state[1])) / WHEEL, (A_T - rolling(state[2])) / WHEEL


def one_rolls(_, state):
    return (F - 2 * rolling(state[0]) - 2 * A_T) / (2 * M + 2 * WHEEL), 0, (A_T - rolling(state[2])) / WHEEL


def until(rate, t, state, holds):
    while True:
        after = step(rate, t, state, STEP)
        if holds(after):
            part = first(lambda dt: holds(step(rate, t, state, dt)), 0, STEP)
            return t + part, step(rate, t, state, part)
        t, state = t + STEP, after


def main():
    t, state = until(alone, 0, [0.0, 0.0, 0.0], lambda s: s[1] >= PLAY)
    print(f"coupling_taut {t:.6f}")
    t, state = until(both_slide, t, [state[0] / 2, state[2], 0.0], lambda s: s[1] <= s[0])
    print(f"first_rolls {t:.6f}")
    t, state = until(one_rolls, t, state, lambda s: s[2] >= s[0])
    print(f"second_rolls {t:.6f}")


if __name__ == "__main__":
    main()
