"""prestressed_spring.py: the mass of scenes/prestressed_spring.yaml, arc by arc in closed form, without the tolerance of a step.

Until it turns or passes the reference length d = 0 it moves by m d'' = -c d - a sign(d) - f sign(d'): a cosine about the
middle -(a sign(d) + f sign(d'))/c."""
import math

A, C, M, START = 1, 40, 1, 0.2 - 0.07


def swing_in(d, friction):
    """From rest at d > 0 to the reference length: (duration, speed there), or where it stops before."""
    omega, middle = math.sqrt(C / M), -(A - friction) / C
    if A + C * d <= friction:
        return None, d
    amplitude = d - middle
    if middle > 0 and 2 * middle - d > 0:  # turns before
        return None, 2 * middle - d
    time = math.acos(-middle / amplitude) / omega
    return time, amplitude * omega * math.sin(omega * time)


def swing_out(speed, friction):
    """From the reference length with a speed to the turning point: (duration, distance)."""
    omega, middle = math.sqrt(C / M), (A + friction) / C
    time = math.atan(speed / (omega * middle)) / omega
    return time, math.hypot(middle, speed / omega) - middle


def at_rest_from(friction):
    t, d = 0.0, START
    while d > 1e-14:
        time, speed = swing_in(d, friction)
        if time is None:
            break
        t += time
        time, d = swing_out(speed, friction)
        t += time
    return t


def stops_at(friction):
    side, d = 1, START
    while True:
        time, value = swing_in(d, friction)
        if time is None:
            return 0.07 + side * value
        side, d = -side, swing_out(value, friction)[1]


def main():
    print(f"at_rest_from {at_rest_from(0.9):.6f}")
    print(f"stops_at {stops_at(1.1):.6f}")


if __name__ == "__main__":
    main()
