"""elevator.py: the cable of scenes/elevator.yaml after the first load, while its reel stands: the modes of a chain with one end
fixed, summed. Damping is proportional to stiffness, so that the modes are those of the chain without damping."""
import cmath
import math

N, L, A, RHO, E, D, F = 100, 20, 7.8e-5, 7900, 210e9, 2.5e7, 12e3
LOADED = 0.005


def last_node(t):
    dx = L / N
    mass, stiffness, free, since = RHO * dx * A, E * A / dx, N - 1, t - LOADED
    total = 0
    for j in range(1, free + 1):
        angle = (2 * j - 1) * math.pi / (2 * free + 1)
        square = 4 * stiffness / mass * math.sin(angle / 2) ** 2
        root = cmath.sqrt((D / E * square / 2) ** 2 - square)
        slow, fast = -D / E * square / 2 + root, -D / E * square / 2 - root
        decay = (fast * cmath.exp(slow * since) - slow * cmath.exp(fast * since)) / (fast - slow)
        part = 4 / (2 * free + 1) * math.sin(angle * free) ** 2
        total -= part * F / mass / square * (1 - decay.real)
    return total


def main():
    print(f"swings_when_loaded {last_node(0.012):.5f}")
    print(f"swings_back {last_node(0.021):.5f}")


if __name__ == "__main__":
    main()
