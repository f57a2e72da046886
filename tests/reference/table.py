"""table.py: the sliding table of scenes/table.yaml while all legs are on the floor, with each choice of the normal forces.

Sliding friction is a multiple of the normal force of its leg, so that three balances (weight, two moments) are all that the four
normal forces obey: N = N_0 + s n. The choices are those of Preclik, Rüde & Popa 2011, section 3."""
import math

from motion import solve, step

MU = (0.1, 0.05, 0.1, 0.05)
LEGS = ((0.5, 0.5), (0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5))
HEIGHT, END, STEPS = 0.5, 5, 1000


def legs(state):
    """Of every leg: place relative to the centre of mass, and friction for a normal force of one."""
    v_x, v_y, turn, angle = state[2:]
    for mu, (a, b) in zip(MU, LEGS):
        x, y = a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)
        slip = (v_x - turn * y, v_y + turn * x)
        speed = math.hypot(*slip)
        yield x, y, -mu * slip[0] / speed, -mu * slip[1] / speed


def null_vector(rows):
    """Of three rows with four columns: the signed minors."""
    def minor(skip):
        a, b, c = [[row[k] for k in range(4) if k != skip] for row in rows]
        return (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]))
    return [(-1) ** k * minor(k) for k in range(4)]


def normal_forces(all_legs, choice):
    # weight; moments about x and y, of normal forces at (x, y) and of friction at -HEIGHT
    rows = [[1] * 4, [y + HEIGHT * t_y for _, y, _, t_y in all_legs], [-x - HEIGHT * t_x for x, _, t_x, _ in all_legs]]
    gram = [[sum(p * q for p, q in zip(a, b)) for b in rows] for a in rows]
    share = solve(gram, [1, 0, 0])
    forces = [sum(share[i] * rows[i][k] for i in range(3)) for k in range(4)]
    free = null_vector(rows)
    if choice == "minimum_norm":
        return forces
    emptied = (1, 3) if choice == "energy_min" else (0, 2)
    if free[emptied[0]] > 0:
        free = [-part for part in free]
    reach = min(-force / part for force, part in zip(forces, free) if part < 0)
    return [force + reach * part for force, part in zip(forces, free)]


def rate(choice):
    def of(_, state):
        if math.hypot(state[2], state[3]) + abs(state[4]) < 1e-6:
            return [0.0] * 6
        all_legs = list(legs(state))
        forces = normal_forces(all_legs, choice)
        t_x = sum(n * leg[2] for n, leg in zip(forces, all_legs))
        t_y = sum(n * leg[3] for n, leg in zip(forces, all_legs))
        turn = sum(n * (leg[0] * leg[3] - leg[1] * leg[2]) for n, leg in zip(forces, all_legs))
        return state[2], state[3], t_x, t_y, turn, state[4]
    return of


def energy_at_5(choice):
    state = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]  # x, y, v_x, v_y, ω, φ
    for _ in range(STEPS):
        state = step(rate(choice), 0, state, END / STEPS)
    return (state[2] ** 2 + state[3] ** 2 + state[4] ** 2) / 2


def main():
    print(f"energy_at_5 {energy_at_5('minimum_norm'):.4f}")
    print(f"energy_at_5_least {energy_at_5('energy_min'):.4f}")
    print(f"energy_at_5_most {energy_at_5('energy_max'):.4f}")


if __name__ == "__main__":
    main()
