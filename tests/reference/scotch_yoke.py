"""scotch_yoke.py: the rotor of scenes/scotch_yoke.yaml while it turns forwards: J φ'' = -F R |sin φ|."""
import math

from motion import step

J, R, F, END, STEPS = 1, 1, 0.1, 5, 20_000


def rate(_, state):
    angle, speed = state
    return speed, -F * R * abs(math.sin(angle)) / J


def main():
    state = [0.3, 2.0]
    for _ in range(STEPS):
        state = step(rate, 0, state, END / STEPS)
    print(f"angle_at_5_s {state[0]:.9f}")
    print(f"speed_at_5_s {state[1]:.9f}")


if __name__ == "__main__":
    main()
