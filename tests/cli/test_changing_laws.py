"""Laws whose numbers are expressions: every simulation agrees with closed forms and quadrature; sets in scenes; what is refused."""
import csv
import math
import unittest

from command import CommandTest

G = 9.81
SIMULATIONS = {"{type: event_driven, output: 0.01, end: %s}": 2e-8, "{type: hybrid, output: 0.01, end: %s}": 2e-8,
               "{type: augmented, step_max: 0.01, step_min: 1e-9, end: %s}": 5e-8, "{type: constant, step: 1e-4, end: %s}": 3e-4}
SLED = """parameters: {m: 2, g: 9.81}
systems: {b: {type: point, dim: 2, mass: m, velocity: [%s, 0]}}
elements: {f: {type: plane, system: b, normal: [0, 1], laws: {gap: {type: unilateral}, slip: %s}}}
forces:
  w: {type: gravity, acceleration: [0, -g]}
  p: {type: load, on: [x], force: ["%s"]}
"""
BALL = """systems: {b: {type: point, dim: 2, mass: 1, position: [0, %s]}}
elements: {f: {type: plane, system: b, normal: [0, 1], laws: {gap: %s}}}
forces: {w: {type: gravity, acceleration: [0, -9.81]}}
"""
PATCH = """systems: {d: {type: planar_body, mass: 1, inertia: 0.005, velocity: [1, 0, 5]}}
elements: {f: {type: expression, slip: [x', y', phi'], laws: {slip: {type: friction, bound: 3, set: %s}}}}
"""


def integral(function, low, high, n=2000):
    """Simpson's rule."""
    h = (high - low) / n
    return h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) * function(low + i * h) for i in range(n + 1))


def motion(rate, state, end, n=20000):
    """Runge and Kutta's rule."""
    h = end / n
    def moved(k, by):
        return [x + by * dx for x, dx in zip(state, k)]
    for i in range(n):
        t = i * h
        a = rate(t, state)
        b = rate(t + h / 2, moved(a, h / 2))
        c = rate(t + h / 2, moved(b, h / 2))
        d = rate(t + h, moved(c, h))
        state = [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(state, a, b, c, d)]
    return state


class ChangingLaws(CommandTest):
    def final(self, text, simulation):
        with open(self.path("scene.yaml"), "w") as file:
            file.write(f"{text}simulation: {simulation}\n")
        self.run_command("run", "scene.yaml", "-o", "r.h5", "--certify")
        self.run_command("export", "r.h5", "--csv", "-o", "r.csv")
        with open(self.path("r.csv")) as file:
            return list(csv.DictReader(file))[-1]

    def check(self, text, end, known, only=None, factor=1):
        """Known values at the end, by every simulation or those whose names begin so."""
        for simulation, within in SIMULATIONS.items():
            if only and not simulation[7:].startswith(only):
                continue
            with self.subTest(simulation[7:20]):
                last = self.final(text, simulation % end)
                for column, value in known.items():
                    self.assertAlmostEqual(float(last[column]), value, delta=factor * within, msg=column)

    def test_friction_map(self):
        self.check(SLED % (1.5, '{type: friction, mu: "0.1 + 0.4*x"}', 0), 2, {"b.x": (math.sqrt(0.01 + 0.4 * 2.25 / G) - 0.1) / 0.4})

    def test_friction_map_with_a_step(self):
        v2 = 2.25 - 2 * 0.1 * G * 0.3
        self.check(SLED % (1.5, '{type: friction, mu: "x < 0.3 ? 0.1 : 0.4"}', 0), 2, {"b.x": 0.3 + v2 / (0.8 * G)})

    def test_friction_in_time(self):
        v = 1.5 - 0.1 * G * 0.3
        known = 1.5 * 0.3 - 0.1 * G * 0.3**2 / 2 + v * v / (0.8 * G)
        self.check(SLED % (1.5, '{type: friction, mu: "t < 0.3 ? 0.1 : 0.4"}', 0), 2, {"b.x": known})
        # sticks until 0.8 - 0.2 t = 0.5
        self.check(SLED % (0, '{type: friction, mu: "0.8 - 0.2*t"}', "0.5*m*g"), 2, {"b.x": 0.2 * G * 0.5**3 / 6})

    def test_characteristic_as_a_formula(self):
        stop = integral(lambda v: v / (G * (0.1 + 0.2 * math.exp(-v / 0.2))), 0, 1.5)
        self.check(SLED % (1.5, '{type: friction, mu: "0.1 + 0.2*exp(-abs(slip)/0.2)"}', 0), 2, {"b.x": stop})

    def test_breaks_away_and_slides_with_less(self):
        T, t = 2 - 1.25, 1.25
        v = G * (0.2 * (4 - t * t) - 0.3 * T)
        self.check(SLED % (0, "{type: friction, mu: 0.5, kinetic: 0.3}", "0.4*m*g*t"), 2, {"b.x'": v}, factor=2)

    def test_brake(self):
        t = math.sqrt(4 / 3)
        self.check(SLED % (1, '{type: friction, bound: "3*t"}', 0), 2, {"b.x": t - t**3 / 4})

    def test_interval(self):
        """Forwards without friction, backwards with more than the load."""
        self.check(SLED % (0, "{type: friction, mu: [0, 0.5]}", "t < 0.5 ? m : -2*m"), 2, {"b.x": 0.125 + 0.25 / 4})
        # 0.1 forwards, 0.3 backwards, both growing
        v, x = motion(lambda t, u: [-2 + (0.3 + 0.1 * t) * G * (u[0] < 0) - 0.1 * G * (u[0] > 0), u[0]], [-3.0, 0.0], 1)
        self.check(SLED % (-3, '{type: friction, mu: [-0.1, "0.3 + 0.1*t"]}', "-2*m"), 1, {"b.x'": v, "b.x": x})

    def test_speed_in_a_plane(self):
        """μ(|slip|) slows a mass along its path, whatever the direction."""
        text = """systems: {b: {type: point, dim: 3, mass: 2, velocity: [0.9, 1.2, 0]}}
elements: {f: {type: plane, system: b, normal: [0, 0, 1], laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.2 + 0.1*slip}}}}
forces: {w: {type: gravity, acceleration: [0, 0, -9.81]}}
"""
        stop = integral(lambda v: v / (G * (0.2 + 0.1 * v)), 0, 1.5)
        self.check(text, 1, {"b.x": 0.6 * stop, "b.y": 0.8 * stop})

    def test_axes_that_change(self):
        """Along an axis of an ellipse its length alone counts."""
        text = """systems: {b: {type: point, dim: 3, mass: 2, velocity: [0, 1.5, 0]}}
elements: {f: {type: plane, system: b, normal: [0, 0, 1], tangent: [1, 0, 0],
               laws: {gap: {type: unilateral}, slip: {type: friction, mu: [0.2, 0.1 + 0.4*b.y]}}}}
forces: {w: {type: gravity, acceleration: [0, 0, -9.81]}}
"""
        self.check(text, 2, {"b.y": (math.sqrt(0.01 + 0.4 * 2.25 / G) - 0.1) / 0.4, "b.x": 0})

    def test_joint_friction(self):
        """A wheel on a pin that carries m g, whose friction grows in time."""
        text = """systems: {w: {type: body, mass: 2, inertia: [0.1, 0.1, 0.1], velocity: [0, 0, 0, 0, 0, 8]}}
elements: {pin: {type: revolute, system: w, axis: [0, 0, 1], laws: {gap: {type: bilateral}, turn: {type: joint_friction, mu: "0.5*t", radius: 0.1}}}}
forces: {w: {type: gravity, acceleration: [0, -9.81, 0]}}
"""
        self.check(text, 1, {"w.wz": 8 - 2 * G * 0.1 * 0.25 / 0.1}, factor=10)

    def test_restitution(self):
        v = math.sqrt(2 * G)
        t, after = v / G, v / (1 + 0.2 * v)
        while t + 2 * after / G < 1.2:
            t, after = t + 2 * after / G, after / (1 + 0.2 * after)
        left = 1.2 - t
        self.check(BALL % (1, '{type: unilateral, restitution: "1/(1 + 0.2*approach)"}'), 1.2, {"b.y": after * left - G * left**2 / 2}, factor=3)

    def test_contacts_of_shapes(self):
        """A ball of which friction in time and ε(v) of a contact rule make a bounce with known spin."""
        text = """systems: {b: {type: body, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1], velocity: [5, 0, 0]}}
shapes: {ball: {type: sphere, on: b, radius: 0.5}, floor: {type: plane}}
elements:
  c: {type: contact, laws: {gap: {type: unilateral, restitution: "1/(1 + 0.2*approach)"}, slip: {type: friction, mu: "0.1*t + 0.02*slip"}}}
forces: {w: {type: gravity, acceleration: [0, 0, -9.81]}}
"""
        v = math.sqrt(G)
        t, after = v / G, v / (1 + 0.2 * v)
        P = (0.1 * t + 0.02 * 5) * (v + after)  # over m
        left = 0.7 - t
        self.check(text, 0.7, {"b.x'": 5 - P, "b.wy": P * 2 * 0.5 / 0.1, "b.z": 0.5 + after * left - G * left**2 / 2}, factor=4)

    def test_spring_and_damper(self):
        def rate(t, u):
            return [u[1], -(9 + 2 * math.cos(3 * t)) * u[0] - 0.1 * abs(u[1]) * u[1] - 0.5 * u[0] ** 3]
        x, v = motion(rate, [1.0, 0.0], 3)
        text = """systems: {b: {type: point, dim: 1, mass: 1, position: [1]}}
elements: {s: {type: expression, gap: x, laws: {gap: {type: spring_damper, stiffness: 9 + 2*cos(3*t), damping: 0.1*abs(speed), force: -0.5*gap^3}}}}
"""
        self.check(text, 3, {"b.x": x, "b.x'": v})

    def test_soft_contact(self):
        """Preclik, Rüde and Popa's (30), (31): falls from 0.05 m on k = 1000 N/m, c = 10 N s/m, and bounces off."""
        k, c, v = 1000, 10, math.sqrt(2 * G * 0.05)
        w, d = math.sqrt(k - c * c / 4), c / 2
        def at(t):
            A, B = G / k, (-v + d * G / k) / w
            e = math.exp(-d * t)
            z = -G / k + e * (A * math.cos(w * t) + B * math.sin(w * t))
            speed = e * ((B * w - d * A) * math.cos(w * t) - (A * w + d * B) * math.sin(w * t))
            return z, speed
        low, high = 0.05, 0.13  # -k z - c z' vanishes on the way back
        for _ in range(60):
            middle = (low + high) / 2
            z, speed = at(middle)
            low, high = (middle, high) if -k * z - c * speed > 0 else (low, middle)
        z, speed = at(low)
        left = 0.3 - v / G - low
        text = BALL % (0.05, "{type: spring_damper, stiffness: 1000, damping: 10, unilateral: true}")
        self.check(text, 0.3, {"b.y": z + speed * left - G * left**2 / 2})

    def test_diamond(self):
        """The force slides along the side of a polygon: a minimum over the diamond in small steps."""
        phi, r = 0.3, 0.5 * 2 * G
        def nearest(x, y):
            a, b = abs(x), abs(y)
            if a + b <= r:
                return x, y
            shift = (a + b - r) / 2
            a, b = (a - shift, b - shift) if min(a, b) > shift else (r, 0) if a > b else (0, r)
            return math.copysign(a, x), math.copysign(b, y)
        n, vx, vy, x, y = 20000, 0, 0, 0, 0
        for i in range(n):
            h, f = 1 / n, (i + 0.5) / n * 2 * G
            p = nearest(-2 * vx / h - f * math.cos(phi), -2 * vy / h - f * math.sin(phi))
            new = vx + h * (f * math.cos(phi) + p[0]) / 2, vy + h * (f * math.sin(phi) + p[1]) / 2
            x, y, vx, vy = x + h * (vx + new[0]) / 2, y + h * (vy + new[1]) / 2, *new
        text = """systems: {b: {type: point, dim: 3, mass: 2}}
elements: {f: {type: plane, system: b, normal: [0, 0, 1], tangent: [1, 0, 0], laws: {gap: {type: unilateral},
           slip: {type: friction, mu: 0.5, set: {type: polygon, vertices: [[1, 0], [0, 1], [-1, 0], [0, -1]]}}}}}
forces: {w: {type: gravity, acceleration: [0, 0, -9.81]}, p: {type: load, on: [x, y], force: ["2*9.81*t*cos(0.3)", "2*9.81*t*sin(0.3)"]}}
"""
        self.check(text, 1, {"b.x": x, "b.y": y}, only=("augmented", "constant"), factor=10)
        with open(self.path("scene.yaml"), "w") as file:
            file.write(text + "simulation: {type: event_driven, output: 0.1, end: 1}\n")
        self.refuse("check", "scene.yaml", says="scene.yaml:3:12: law 'f.slip': event-driven integration cannot treat it: its set has flat sides")

    def test_products_and_half_lines(self):
        """Two intervals in a product are two frictions; a half line is a free wheel."""
        sets = ["{type: product, sets: [{type: interval, lower: -2, upper: 2}, interval]}", "product_of_two"]
        text = """systems: {b: {type: point, dim: 2, mass: 2, velocity: [3, 2]}}
elements: {f: {type: expression, slip: [x', y'], laws: {slip: {type: friction, bound: 1, set: %s}}}}
"""
        self.check(text % sets[0], 1, {"b.x": 3 - 0.5, "b.y": 2 - 0.25}, only=("augmented", "constant"))
        wheel = """systems: {b: {type: point, dim: 1, mass: 2, velocity: [1]}}
elements: {f: {type: expression, slip: x', laws: {slip: {type: friction, bound: 1, set: half_line}}}}
forces: {p: {type: load, on: [x], force: ["-4"]}}
"""
        self.check(wheel, 1, {"b.x": 0.25, "b.x'": 0}, only=("augmented", "constant"))

    def test_patches(self):
        """Even and Hertz's pressure and an ellipsoid stop at different places; turned by 1 rad, at the same."""
        ends = {}
        for name in ("{type: disk_patch, radius: 0.1}", "{type: disk_patch, radius: 0.1, pressure: hertz}", "{type: ellipsoid, axes: [1, 1, 0.0666]}"):
            last = self.final(PATCH % name, "{type: event_driven, output: 0.1, end: 1}")
            ends[name] = float(last["d.x"])
            turned = PATCH.replace("[1, 0, 5]", "[cos(1), sin(1), -5]") % name
            last = self.final(turned, "{type: event_driven, output: 0.1, end: 1}")
            self.assertAlmostEqual(math.hypot(float(last["d.x"]), float(last["d.y"])), ends[name], delta=1e-8)
        self.assertEqual(len({round(x, 5) for x in ends.values()}), 3)

    def test_refused(self):
        for law, says in (
                ('{type: friction, mu: "0.3 + nu"}', "unknown name 'nu'"),
                ("{type: friction, mu: -0.1}", "'mu' must be a number >= 0, not -0.1"),
                ("{type: friction, mu: [0.1, 0.5]}", "the first end of one row must be <= 0"),
                ("{type: friction, mu: 0.5, kinetic: [0.1, 0.2]}", "'kinetic' must have as many numbers as 'mu', 1, not 2"),
                ("{type: friction, mu: 0.5, rest: 1}", "'rest' does nothing here"),
                ("{type: friction, mu: 0.5, set: disk}", ":3:125: set 'disk' has dimension 2 … 3, but 1 is wanted"),
                ("{type: friction, mu: 0.5, set: {type: interval, lower: 3}}", "set 'interval': lower = 3 and upper = 1"),
                ("{type: friction, mu: 0.5, set: {type: intervall}}", "there is no set type 'intervall'; did you mean 'interval'?"),
                ("{type: friction, mu: 0.5, set: {lower: 3}}", "'set' needs the 'type' of a set"),
                ("{type: friction, mu: 0.5, set: {type: interval, low: 3}}", "unknown key 'low'"),
                ("{type: friction, mu: [-1, 1], set: interval}", "'mu' must be one number beside 'set', not 2"),
                ("{type: friction, mu: 0.5, restitution: 1.5}", "'restitution' must be a number in [0, 1], not 1.5")):
            with self.subTest(law):
                with open(self.path("scene.yaml"), "w") as file:
                    file.write(SLED % (1, law, 0) + "simulation: {step: 1e-3, end: 1}\n")
                self.refuse("check", "scene.yaml", says=says)

    def test_fails_where_it_becomes_impossible(self):
        with open(self.path("scene.yaml"), "w") as file:
            file.write(SLED % (9, '{type: friction, mu: "0.5 - t"}', 0) + "simulation: {step: 1e-2, end: 1}\n")
        _, err = self.run_command("run", "scene.yaml", code=1)
        self.assertIn("'mu' is -0.005 at t = 0.505 s; it must be a number >= 0", err)


if __name__ == "__main__":
    unittest.main()
