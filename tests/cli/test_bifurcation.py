"""Poincaré sections and bifurcation diagrams: linear motion, impacts and grazing against closed forms."""
import csv
import json
import math
import os
import signal
import subprocess
import time
import unittest

import h5py
import numpy as np

from command import ENDLESS, SOURCE, STICKSLIP, CommandTest

FORCED = os.path.join(SOURCE, "scenes", "impact_forced.yaml")
M, C, D, OMEGA, EPSILON = 1.0, 1.0, 0.1, 2.8, 0.8  # the scene's
FAST = ("--set", "simulation.output=10")  # no reported states between the points
SIZE = math.hypot(C - M * OMEGA**2, D * OMEGA)
PHASE = math.atan2(D * OMEGA, C - M * OMEGA**2)
T = 2 * math.pi / OMEGA

# A ball on a table that goes down at speed v: hits, each with ε of the one before.
BALL = """format: 1
name: ball
parameters: {g: 9.81, epsilon: 0.5, h: 1}
systems:
  ball: {type: point, dim: 1, mass: 1, position: h}
elements:
  floor: {type: plane, system: ball, normal: 1, laws: {gap: {type: unilateral, restitution: epsilon}}}
forces:
  weight: {type: gravity, acceleration: -1*g}
simulation: {type: event_driven, output: 0.1, end: 1.2}
"""
PENDULUM = """format: 1
name: pendulum
parameters: {w: 2, a: 0.5}
systems:
  bob: {type: point, dim: 1, mass: 1, position: a}
forces:
  spring: {type: load, on: [x], force: [-w^2*x]}
simulation: {type: event_driven, output: 0.3, end: 30}
"""


def propagate(x, v, t, tau, F):
    """x'' = -c x - d x' + F cos(ω t), m = 1, from t over tau: the exact solution."""
    a = D / 2
    w = math.sqrt(C - a * a)
    def forced(s):
        return F / SIZE * math.cos(OMEGA * s - PHASE), -F / SIZE * OMEGA * math.sin(OMEGA * s - PHASE)
    p, q = forced(t)
    x0, v0 = x - p, v - q
    e, c, s = math.exp(-a * tau), math.cos(w * tau), math.sin(w * tau)
    y = e * (x0 * c + (v0 + a * x0) / w * s)
    z = e * (v0 * c - (w * w * x0 + a * (v0 + a * x0)) / w * s)
    p, q = forced(t + tau)
    return y + p, z + q


def to_impact(x, v, t, end, F):
    """The time until x = 1, at most until `end`: small steps, then halving."""
    step, tau = 1e-3, 0.0
    while t + tau < end:
        h = min(step, end - t - tau)
        if propagate(x, v, t, tau + h, F)[0] > 1 and tau + h > 1e-6:
            low, high = tau, tau + h
            for _ in range(60):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if propagate(x, v, t, middle, F)[0] <= 1 else (low, middle)
            return low
        tau += h
    return None


def periods(x, v, F, count):
    """States after each period, impact by impact."""
    t, states = 0.0, []
    for k in range(count):
        end = (k + 1) * T
        while True:
            tau = to_impact(x, v, t, end, F)
            if tau is None:
                break
            x, v = propagate(x, v, t, tau, F)
            x, v, t = 1.0, -EPSILON * v, t + tau
        x, v = propagate(x, v, t, end - t, F)
        t = end
        states.append((x, v))
    return states


class Bifurcation(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def values(self, *words):
        out, _ = self.run_command("bifurcation", *words, "--json", "--no-plots")
        return json.loads(out)["values"]

    def test_linear_motion_each_period(self):
        found = self.values(FORCED, "F=1:4:4", "--period", "2*pi/omega", "--points", "250", "--skip", "248", *FAST)
        self.assertEqual([(v["carry"], v["value"]) for v in found],
                         [(way, float(F)) for way in ("forward", "backward") for F in (1, 2, 3, 4)])
        for v in found:
            self.assertEqual((len(v["points"]), v["period"], v["reason"]), (2, 1, ""))
            for t, x, speed in v["points"]:
                self.assertAlmostEqual(x, v["value"] / SIZE * math.cos(PHASE), delta=1e-9)
                self.assertAlmostEqual(speed, v["value"] / SIZE * OMEGA * math.sin(PHASE), delta=1e-9)
        self.assertAlmostEqual(found[0]["points"][0][0], 249 * T, delta=1e-9)

    def test_the_period_may_depend_on_the_parameter(self):
        found = self.values(FORCED, "omega=4,5,6", "F=1", "--period", "2*pi/omega", "--points", "400", "--skip", "399", *FAST)
        for v in found:
            w = v["value"]
            phase = math.atan2(D * w, C - w * w)
            self.assertAlmostEqual(v["points"][0][1], math.cos(phase) / math.hypot(C - w * w, D * w), delta=1e-9)

    def test_motion_with_impacts(self):
        expected = periods(0.0, 0.0, 8.0, 8)
        found = self.values(FORCED, "--period", "2*pi/omega", "--points", "8", "--skip", "0", *FAST)
        for (x, v), (_, a, b) in zip(expected, found[0]["points"]):
            self.assertAlmostEqual(a, x, delta=1e-6)
            self.assertAlmostEqual(b, v, delta=1e-6)
        self.assertGreater(max(abs(x + F) for (x, _), F in zip(expected, [8 / SIZE] * 8)), 1)  # not the linear one

    def test_the_state_is_carried(self):
        """Forward, the second value goes on where the first ended; backward the other way round; without, each begins anew."""
        words = (FORCED, "F=5,8", "--period", "2*pi/omega", "--points", "3", "--skip", "0", *FAST)
        forward = self.values(*words, "--carry", "forward")
        end = forward[0]["points"][-1]
        for (x, v), (_, a, b) in zip(periods(end[1], end[2], 8.0, 3), forward[1]["points"]):
            self.assertAlmostEqual(a, x, delta=1e-6)
            self.assertAlmostEqual(b, v, delta=1e-6)
        backward = {v["value"]: v["points"] for v in self.values(*words, "--carry", "backward")}
        for (x, v), (_, a, b) in zip(periods(*backward[8][-1][1:], 5.0, 3), backward[5]):
            self.assertAlmostEqual(a, x, delta=1e-6)
        alone = self.values(*words, "--carry", "none")
        self.assertEqual([p["carry"] for p in alone], ["none", "none"])
        self.assertEqual(alone[0]["points"], forward[0]["points"])
        self.assertEqual(alone[1]["points"], backward[8])
        both = self.values(*words)
        self.assertEqual(both[:2], forward)
        self.assertEqual(self.values(*words, "-j", "1"), both)

    def test_grazing(self):
        """The motion without impacts ends where its amplitude F/|c - mω² + idω| is that of the stop."""
        deltas = [0.5 * 0.6**k for k in range(31)] + [1e-7, -1e-6]
        found = self.values(FORCED, "F=" + ",".join(repr(SIZE * (1 - x)) for x in deltas), "--period", "2*pi/omega",
                            "--points", "250", "--skip", "249", "--carry", "forward", *FAST)
        off = [abs(v["points"][0][1] - v["value"] / SIZE * math.cos(PHASE)) for v in found]
        self.assertLess(max(off[:-1]), 1e-9)
        self.assertGreater(off[-1], 0.1)
        # its largest position, on a section, grows to the stop at the closed form's F
        tops = self.values(FORCED, f"F={0.9 * SIZE!r},{0.95 * SIZE!r}", "--section", "down:x'", "--period", "2*pi/omega", "--signal", "x", "--points",
                           "300", "--skip", "299", "--carry", "forward", "x_stop=2", "--set", "simulation.end=2000")
        (F0, x0), (F1, x1) = [(v["value"], v["points"][0][1]) for v in tops]
        self.assertAlmostEqual(F0 + (1 - x0) * (F1 - F0) / (x1 - x0), SIZE, delta=1e-8)

    def test_events(self):
        self.write("ball.yaml", BALL)
        found = self.values("ball.yaml", "epsilon=0.4,0.5", "--carry", "none", "--section", "floor.gap closed", "--points", "3",
                            "--skip", "0", "--signal", "x", "--signal", "x'", "--signal", "-epsilon*2")
        for v in found:
            t, e = math.sqrt(2 / 9.81), v["value"]
            speed = math.sqrt(2 * 9.81)
            self.assertEqual(len(v["points"]), 3)
            for point in v["points"]:
                self.assertAlmostEqual(point[0], t, delta=1e-9)
                self.assertAlmostEqual(point[1], 0, delta=1e-9)
                speed *= e
                self.assertAlmostEqual(abs(point[2]), speed, delta=1e-8)
                self.assertEqual(point[3], -2 * e)
                t += 2 * speed / 9.81
        none = self.values("ball.yaml", "h=1,100", "--section", "floor.gap closed", "--carry", "none", "--points", "9", "--skip", "0")
        self.assertGreater(len(none[0]["points"]), 1)
        self.assertEqual(none[1]["points"], [])  # it falls longer than the scene lasts

    def test_expressions(self):
        self.write("pendulum.yaml", PENDULUM)
        for section, first, step in (("up:x", 0.75, 1), ("down:x", 0.25, 1), ("both:x", 0.25, 0.5), ("x'", 0.5, 1)):
            found = self.values("pendulum.yaml", "--section", section, "--points", "5", "--skip", "1", "--signal", "x",
                                "--signal", "x'")[0]["points"]
            self.assertEqual(len(found), 4)
            for k, (t, x, v) in enumerate(found):
                turn = first + step * (k + 1)
                self.assertAlmostEqual(t, turn * math.pi, delta=1e-8)
                self.assertAlmostEqual(x, 0.5 * math.cos(2 * math.pi * turn), delta=1e-8)
                self.assertAlmostEqual(v, -math.sin(2 * math.pi * turn), delta=1e-8)
        # where the section is taken does not change the motion
        a = self.values("pendulum.yaml", "--section", "up:x", "--points", "6", "--skip", "5")[0]["points"]
        b = self.values("pendulum.yaml", "--section", "both:x-0.1", "--points", "11", "--skip", "0")[0]["points"]
        self.assertAlmostEqual(a[0][0], 5.75 * math.pi, delta=1e-8)
        self.assertAlmostEqual(b[-1][0], (5 + math.acos(0.2) / (2 * math.pi)) * math.pi, delta=1e-8)

    def test_constant_steps_have_sections_too(self):
        self.write("pendulum.yaml", PENDULUM.replace("event_driven, output: 0.3", "constant, step: 1e-3"))
        found = self.values("pendulum.yaml", "--section", "down:x", "--points", "2", "--skip", "1")[0]["points"]
        self.assertAlmostEqual(found[0][0], 1.25 * math.pi, delta=1e-5)
        self.assertAlmostEqual(found[0][1], 0, delta=1e-12)

    def test_lyapunov_exponents(self):
        # the linear motion: both multipliers have the modulus exp(-d/2m T)
        found = self.values(FORCED, "F=1,2", "--period", "2*pi/omega", "--points", "1100", "--skip", "100", "--lyapunov", *FAST)
        for v in found:
            self.assertAlmostEqual(v["exponent"], -D / 2, delta=1e-3)
        # with impacts: two nearby motions, exact between impacts, drawn near again after each period
        F, sum_, count = 8.1, 0.0, 0
        x, y = (0.0, 0.0), (1e-7, 0.0)
        for k in range(250):
            x, y = periods(*x, F, 1)[0], periods(*y, F, 1)[0]
            far = math.hypot(y[0] - x[0], (y[1] - x[1]) * T / (2 * math.pi))
            if k >= 50:
                sum_ += math.log(far / 1e-7)
                count += 1
            y = (x[0] + (y[0] - x[0]) * 1e-7 / far, x[1] + (y[1] - x[1]) * 1e-7 / far)
        expected = sum_ / (count * T)
        v = self.values(FORCED, "F=8.1", "--period", "2*pi/omega", "--points", "1000", "--skip", "50", "--lyapunov", *FAST)[0]
        self.assertGreater(expected, 0.05)
        self.assertAlmostEqual(v["exponent"], expected, delta=0.25 * expected)

    def test_tables_and_pictures(self):
        out, _ = self.run_command("bifurcation", FORCED, "F=1:3:3", "--period", "2*pi/omega", "--points", "6", "--skip", "2",
                                  *FAST, "-o", "out")
        self.assertIn("6 values, 24 points", out)
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["bifurcation.svg", "points.csv", "points.h5", "values.csv"])
        with open(self.path("out/points.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 24)
        self.assertEqual((rows[0]["carry"], rows[0]["F"], rows[0]["point"]), ("forward", "1", "2"))
        with h5py.File(self.path("out/points.h5")) as table:
            self.assertEqual([n.decode() for n in table["names"]], ["carry", "F", "point", "t", "mass.x", "mass.x'"])
            self.assertEqual(table["points"].shape, (24, 6))
            self.assertTrue(np.array_equal(table["points"][:, 4], [float(r["mass.x"]) for r in rows]))
        self.run_command("bifurcation", FORCED, "--period", "2*pi/omega", "--points", "20", *FAST, "-o", "section", "-f", "png")
        self.assertGreater(os.path.getsize(self.path("section/bifurcation.png")), 1000)

    def test_values_that_fail(self):
        out, err = self.run_command("bifurcation", FORCED, "epsilon=0.5,2,0.6", "--period", "2*pi/omega", "--points", "3", *FAST,
                                    "-o", "out", code=1)
        self.assertRegex(out, r"forward epsilon=2: .*: law 'stop.gap': 'restitution' must be a number in \[0, 1\], not 2\n")
        self.assertIn("2 of 6 values failed", err)

    def test_a_signal_ends_it(self):
        process = subprocess.Popen([STICKSLIP, "bifurcation", ENDLESS, "--section", "t-1e9", "-o", "out"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, err)
        self.assertIn(b"interrupted", err)

    def test_what_is_refused(self):
        period = ("--period", "2*pi/omega")
        for words, says in ((["F=1,2"], "give --period EXPR"), (["F=1,2", "omega=1,2", *period], "one thing only"),
                            (["F=1,2", "F=3", *period], "is varied already"), (["FF=1,2", *period], "no parameter 'FF'"),
                            (["F=1,2", *period, "--set", "parameters.F=3"], "is varied already"),
                            (["F=1,2", "--period", "omga"], "omga"), (["F=1,2", "--period", "-1"], "must be > 0"),
                            (["F=1,2", "--section", "stop.gap shut"], "can be closed or open"),
                            (["F=1,2", "--section", "xx"], "unknown name 'xx'"),
                            (["F=1,2", *period, "--signal", "stop.gap.force"], "unknown name"),
                            (["F=1,2", *period, "--points", "0"], "1 … 10000000"),
                            (["F=1,2", *period, "--points", "3", "--skip", "3"], "leaves none"),
                            (["F=1,2", *period, "--carry", "up"], "forward, backward, both or none"),
                            ([*period, "--carry", "forward"], "where a parameter is varied only"),
                            (["F=1,2", *period, "--section", "x", "--lyapunov"], "needs --period"),
                            (["F=1,2", *period, "--jobs", "x"], "1 … 256")):
            self.refuse("bifurcation", FORCED, *words, "-o", "out", says=says)
        self.assertFalse(os.path.exists(self.path("out")))


if __name__ == "__main__":
    unittest.main()
