"""double_pendulum.py: scenes/double_pendulum.yaml by Lagrange's equations in absolute angles from below, and Runge and Kutta's rule."""
import math

from motion import solve, step

M, L, G, END, STEPS = 1, 0.8, 9.81, 2, 20000


def rate(_, state):
    """T = m l² (2/3 a'² + 1/6 b'² + 1/2 a' b' cos(a - b)), V = -m g l (3/2 cos a + 1/2 cos b)"""
    a, b, u, v = state
    c, s = math.cos(a - b), math.sin(a - b)
    square = M * L**2
    mass = [[4 / 3 * square, square * c / 2], [square * c / 2, square / 3]]
    force = [-square * s * v * v / 2 - 1.5 * M * G * L * math.sin(a), square * s * u * u / 2 - M * G * L * math.sin(b) / 2]
    return [u, v] + solve(mass, force)


def main():
    state = [math.pi / 2, math.pi / 2, 0.0, 0.0]
    for _ in range(STEPS):
        state = step(rate, 0, state, END / STEPS)
    print(f"upper {state[0]:.7f}")
    print(f"lower {state[1] - state[0]:.7f}")


if __name__ == "__main__":
    main()
