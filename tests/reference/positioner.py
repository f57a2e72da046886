"""positioner.py: the stage of scenes/positioner.yaml under sampled PI control, and friction that decreases with speed."""
from motion import first, step

MASS, BOUND, DELTA, DAMPING = 2, 3, 20, 4
TARGET, KP, KI, PERIOD, DELAY, LIMIT, END = 0.01, 400, 1200, 0.01, 0.004, 12, 5
PARTS = 20  # of the time between two changes of the force


class Stage:
    """Sticks, or slides in the direction `slips`."""

    def __init__(self):
        self.x = self.v = self.force = self.slips = 0.0
        self.sticks = []  # times and places

    def rate(self, _, state):
        resistance = BOUND / (1 + DELTA * abs(state[1])) * self.slips
        return state[1], (self.force - DAMPING * state[1] - resistance) / MASS

    def after(self, dt):
        return step(self.rate, 0, [self.x, self.v], dt)

    def move(self, t, dt):
        """On by dt, in which the force is constant."""
        if self.slips == 0 and abs(self.force) > BOUND:
            self.slips = 1.0 if self.force > 0 else -1.0
        h, end = dt / PARTS, t + dt
        while self.slips != 0 and t < end - 1e-12:
            h = min(h, end - t)
            moved = self.after(h)
            if moved[1] * self.slips > 0:
                self.x, self.v = moved
                t += h
                continue
            h_rest = first(lambda s: self.after(s)[1] * self.slips <= 0, 0, h)  # it comes to rest
            self.x, self.v = self.after(h_rest)[0], 0.0
            t += h_rest
            reverses = abs(self.force) > BOUND
            self.slips = -self.slips if reverses else 0.0
            if not reverses:
                self.sticks.append((t, self.x))


def main():
    stage, total = Stage(), 0.0
    for k in range(round(END / PERIOD)):
        error = TARGET - stage.x
        wanted = min(max(KP * error + KI * total, -LIMIT), LIMIT)
        total += PERIOD * error
        stage.move(k * PERIOD, DELAY)
        stage.force = wanted
        stage.move(k * PERIOD + DELAY, PERIOD - DELAY)
    sticks = stage.sticks
    print(f"first_stick {sticks[0][0]:.6f}")
    print(f"stick_at {sticks[0][1]:.9f}")
    print(f"seventh_stick {sticks[6][0]:.6f}")
    print(f"low {sticks[6][1]:.9f}")
    print(f"high {sticks[7][1]:.9f}")
    print(f"period {sticks[8][0] - sticks[6][0]:.6f}")


if __name__ == "__main__":
    main()
