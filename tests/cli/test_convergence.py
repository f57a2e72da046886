"""Measured orders: those that theory gives, whatever the reference."""
import csv
import math
import os
import unittest
import xml.dom.minidom

from command import BALL, SCENES, SOURCE, CommandTest

OSCILLATOR = os.path.join(SCENES, "oscillator.yaml")
OMEGA = 10


def midpoint_rule(step, end=1.0):
    """x of the midpoint rule, which turns by acos(1 - (omega step)^2 / 2) in a step."""
    return math.cos(round(end / step) * math.acos(1 - (OMEGA * step) ** 2 / 2))


class Convergence(CommandTest):
    def measure(self, *words):
        """Rows of the table by scheme, and the fitted orders."""
        out, _ = self.run_command("convergence", OSCILLATOR, *words, "-o", "out")
        with open(self.path("out/table.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        fits = {}
        for line in out.split("order (fit)")[1].split("\n")[1:]:
            words = line.split()
            if len(words) == 3:
                fits[words[0]] = float(words[1])
        return rows, fits

    def test_errors_and_order_with_a_closed_form(self):
        rows, fits = self.measure("--schemes", "moreau,stewart_trinkle", "--over", "step=1e-2:1e-3:4", "--signal", "x",
                                  "--reference", "cos(omega*t)")
        moreau = [row for row in rows if row["scheme"] == "moreau"]
        self.assertEqual(len(moreau), 4)
        for row in moreau:
            expected = abs(midpoint_rule(float(row["step/s"])) - math.cos(OMEGA))
            self.assertAlmostEqual(float(row["error"]), expected, delta=1e-11)
        self.assertAlmostEqual(fits["moreau"], 2, delta=0.02)
        self.assertAlmostEqual(fits["stewart_trinkle"], 1, delta=0.1)
        for row in moreau[1:]:
            self.assertAlmostEqual(float(row["order"]), 2, delta=0.03)

    def test_the_finest_run_as_reference_does_not_bend_the_order(self):
        rows, fits = self.measure("--schemes", "moreau", "--over", "step=5e-3,4e-3,2.5e-3,2e-3")
        self.assertAlmostEqual(fits["moreau"], 2, delta=0.02)
        self.assertEqual(rows[-1]["error"], "")
        expected = abs(midpoint_rule(5e-3) - midpoint_rule(2e-3))
        self.assertAlmostEqual(float(rows[0]["error"]), expected, delta=1e-11)

    def test_closed_forms_of_the_scene(self):
        scene = os.path.join(SOURCE, "scenes", "linear_oscillator.yaml")
        for damping in ("0", "3"):
            out, _ = self.run_command("convergence", scene, f"d={damping}", "--schemes", "theta", "--no-plots", "--at", "1",
                                      "--over", "step=0.01,0.005,0.0025", "--reference", "scene", "-o", "scene" + damping)
            with open(self.path(f"scene{damping}/table.csv"), newline="") as stream:
                rows = list(csv.DictReader(stream))
            self.assertEqual(len(rows), 3, out)
            for row in rows[1:]:
                self.assertAlmostEqual(float(row["order"]), 2, delta=0.1)
        self.refuse("convergence", scene, "--signal", "x", "--reference", "scene", says="without --signal")
        self.refuse("convergence", os.path.join(SOURCE, "scenes", "pendulum.yaml"), "--reference", "scene",
                    says="no closed form")

    def test_a_record_as_reference(self):
        self.run_command("run", OSCILLATOR, "-q", "--no-plots", "--set", "simulation.step=0.002", "-o", "fine.h5")
        rows, _ = self.measure("--schemes", "moreau", "--over", "step=0.01,0.005", "--reference", "fine.h5", "--at", "0.5")
        for row in rows:
            expected = abs(midpoint_rule(float(row["step/s"]), 0.5) - midpoint_rule(0.002, 0.5))
            self.assertAlmostEqual(float(row["error"]), expected, delta=1e-11)

    def test_steps_divide_the_time(self):
        rows, _ = self.measure("--schemes", "moreau", "--over", "step=0.03:0.007:3", "--at", "1")
        for row in rows:
            parts = 1 / float(row["step/s"])
            self.assertAlmostEqual(parts, round(parts), delta=1e-9)

    def test_several_signals(self):
        rows, fits = self.measure("--schemes", "moreau", "--over", "step=0.01,0.005", "--signal", "x", "--signal", "x'",
                                  "--reference", "cos(omega*t)", "--reference", "-omega*sin(omega*t)")
        self.assertGreater(float(rows[0]["error"]), abs(midpoint_rule(0.01) - math.cos(OMEGA)))
        self.assertAlmostEqual(fits["moreau"], 2, delta=0.05)

    def test_plot(self):
        self.run_command("convergence", OSCILLATOR, "--schemes", "moreau", "--over", "step=0.01,0.005,0.0025", "-o", "out")
        document = xml.dom.minidom.parse(self.path("out/convergence.svg"))
        texts = ["".join(node.data for node in text.childNodes if node.nodeType == node.TEXT_NODE).strip()
                 for text in document.getElementsByTagName("text")]
        self.assertIn("step in s", texts)
        self.assertIn("order 2", texts)
        self.assertTrue(any(text.startswith("moreau: order ") for text in texts), texts)

    def test_schemes_that_refuse_are_listed(self):
        out, _ = self.run_command("convergence", BALL, "--schemes", "moreau,theta", "--at", "0.3", "--no-plots",
                                  "--over", "step=0.01,0.005,0.002", "--signal", "y")
        self.assertIn("theta: ", out)
        self.assertIn("restitution", out)

    def test_nothing_to_measure(self):
        self.refuse("convergence", OSCILLATOR, "--schemes", "moreau", "--signal", "0*x", "--no-plots",
                    says="no order to measure", code=1)
        self.refuse("convergence", OSCILLATOR, "--schemes", "moreau", "--over", "simulation.pace=1,2",
                    says="no run came to its end", code=1)

    def test_what_is_refused(self):
        for over in ("step", "step=", "step=1", "step=1:0.1", "step=0.1:0.01:1", "step=-1:0.1:3", "step=0.1:0.01:1000",
                     "=1,2", "step=0.1,none"):
            self.refuse("convergence", OSCILLATOR, "--over", over, says="--over is")
        self.refuse("convergence", OSCILLATOR, "--signal", "xx", says="xx")
        self.refuse("convergence", OSCILLATOR, "--signal", "x", "--reference", "cos(omga*t)", says="did you mean 'omega'")
        self.refuse("convergence", OSCILLATOR, "--signal", "x", "--signal", "x'", "--reference", "1", says="2 expressions")
        self.refuse("convergence", OSCILLATOR, "--reference", "missing.h5", says="missing.h5")
        self.refuse("convergence", OSCILLATOR, "--schemes", "moreu", says="moreau")
        self.refuse("convergence", OSCILLATOR, "--at", "-1", says="end")
        self.refuse("convergence", OSCILLATOR, "--set", "simulation.step=1e-3", says="does nothing here: give it with --over")
        self.refuse("convergence", OSCILLATOR, "--at", "1", "--set", "simulation.end=2", says="does nothing here: give it with --at")
        self.run_command("run", OSCILLATOR, "-q", "--no-plots", "-o", "a.h5")
        self.refuse("convergence", OSCILLATOR, "--schemes", "moreau", "--at", "0.1234", "--reference", "a.h5",
                    says="has no state at t = 0.1234 s; the nearest is at 0.12 s")


if __name__ == "__main__":
    unittest.main()
