"""sliding_mass.py: the mass of scenes/sliding_mass.yaml under friction of 2 N against its velocity, and a pull until 3 s."""
import math

from motion import step

A, PULL, STEPS = 2, (-2.5, -0.25), 100_000


def rate(_, state):
    speed = math.hypot(state[2], state[3])
    return (state[2], state[3], PULL[0] - A * state[2] / speed, PULL[1] - A * state[3] / speed)


def main():
    state, least, dt = [0.0, 0.0, 2.0, -0.2], math.inf, 3 / STEPS
    for _ in range(STEPS):
        state = step(rate, 0, state, dt)
        least = min(least, math.hypot(state[2], state[3]))
    print(f"least_speed {least:.6f}")
    print(f"x_at_3_s {state[0]:.6f}")
    print(f"y_at_3_s {state[1]:.6f}")
    time = math.hypot(state[2], state[3]) / A  # from here it slows down on a straight line
    print(f"sticks_at {3 + time:.6f}")
    print(f"x_at_rest {state[0] + state[2] * time / 2:.6f}")
    print(f"y_at_rest {state[1] + state[3] * time / 2:.6f}")


if __name__ == "__main__":
    main()
