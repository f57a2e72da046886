"""Numbers with units in scenes and on the command line: the motion is that of the same scene in SI."""
import json
import re
import subprocess
import unittest

from command import STICKSLIP, CommandTest

SI = """format: 1
name: both
parameters: {L: 0.5, k: 2000, w: 30*pi/30, alpha: 3*pi/180}
systems:
  box: {type: point, dim: 2, mass: 0.045, position: [0.2, 0.01], velocity: [-3/3.6, 0]}
elements:
  wall: {type: plane, system: box, normal: [1, 0], through: [-0.0254, 0], laws: {gap: {type: unilateral, restitution: 0.5}}}
forces:
  weight: {type: gravity, acceleration: [0, -9.81]}
  coil: {type: spring, system: box, to_point: [L, 0], stiffness: k, length: 0.4}
  drag: {type: damper, system: box, to_point: [L, 0], damping: 0.3}
  push: {type: load, on: [x], force: ["alpha*w"]}
simulation: {type: constant, step: 1e-4, end: 0.1}
"""
UNITS = """format: 1
name: both
parameters: {L: 500 mm, k: 2 kN/m, w: 30 rpm, alpha: 3 deg}
systems:
  box: {type: point, dim: 2, mass: 45 g, position: [20 cm, 10 mm], velocity: [-3 km/h, 0]}
elements:
  wall: {type: plane, system: box, normal: [1, 0], through: [-1 in, 0 m], laws: {gap: {type: unilateral, restitution: 0.5}}}
forces:
  weight: {type: gravity, acceleration: [0, -981 cm/s^2]}
  coil: {type: spring, system: box, to_point: [L, 0], stiffness: k, length: 400 mm}
  drag: {type: damper, system: box, to_point: [L, 0], damping: 0.3 N s/m}
  push: {type: load, on: [x], force: ["alpha*w"]}
simulation: {type: constant, step: 0.1 ms, end: 100 ms}
"""


class Units(CommandTest):
    def setUp(self):
        super().setUp()
        for name, text in (("si", SI), ("units", UNITS)):
            with open(self.path(f"{name}.yaml"), "w") as file:
                file.write(text)

    def end(self, *words):
        return json.loads(self.run_command("run", *words, "--no-plots", "--json", "-o", "out.h5")[0])["end_state"]

    def close(self, a, b):
        for name in a:
            self.assertAlmostEqual(a[name], b[name], delta=1e-12 * max(1, abs(a[name])))

    def test_the_same_motion(self):
        self.close(self.end("si.yaml"), self.end("units.yaml"))
        self.assertNotEqual(self.end("si.yaml")["box.x"], 0.2)

    def test_on_the_command_line(self):
        self.close(self.end("si.yaml", "L=0.3048", "--set", "systems.box.mass=0.5", "--set", "systems.box.velocity=[0.5,0]"),
                   self.end("units.yaml", "L=1 ft", "--set", "systems.box.mass=500 g", "--set",
                            "systems.box.velocity=[500 mm/s, 0]"))
        out, _ = self.run_command("sweep", "units.yaml", "L=300 mm:0.5 m:3", "k=1 kN/m,2", "--no-plots", "--json")
        self.assertEqual([(r["parameters"]["L"], r["parameters"]["k"]) for r in json.loads(out)["runs"]],
                         [(0.3, 1000), (0.3, 2), (0.4, 1000), (0.4, 2), (0.5, 1000), (0.5, 2)])

    def test_a_record_can_be_run_again(self):
        first = self.end("units.yaml", "L=1 ft")
        text, _ = self.run_command("info", "out.h5", "--scene")
        with open(self.path("again.yaml"), "w") as file:
            file.write(text)
        self.assertEqual(first, self.end("again.yaml"))

    def test_dimensions_are_checked_at_their_place(self):
        for before, after, says in (
                ("mass: 45 g", "mass: 45 mm", "units.yaml:5:36: system 'box': 'mass' is in kg; '45 mm' is not"),
                ("-3 km/h", "-3 km", "'velocity' is in m/s"),
                ("length: 400 mm", "length: 400 g", "units.yaml:10:77: force 'coil': 'length' is in m; '400 g' is not"),
                ("0.3 N s/m", "0.3 N/m", "'damping' is in"),
                ("force: [\"alpha*w\"]", "force: [5 mm]", "'force' is in N, N m; '5 mm' is not"),
                ("normal: [1, 0]", "normal: [1 m, 0]", "'normal' is a number without unit; '1 m' has one"),
                ("restitution: 0.5", "restitution: 0.5 m", "'restitution' is a number without unit"),
                ("step: 0.1 ms", "step: 0.1 Hz", "'step' is in s; '0.1 Hz' is not"),
                ("L: 500 mm", "L: 500 mm + 1", "units.yaml:3:24: a number with a unit stands alone"),
                ("L: 500 mm", "L: 500 mn", "an operator is missing; did you mean 500*mn?"),
                ("L: 500 mm", "L: 500mm", "has a blank before the unit: 500 mm")):
            self.assertIn(before, UNITS)
            with open(self.path("units.yaml"), "w") as file:
                file.write(UNITS.replace(before, after))
            self.refuse("run", "units.yaml", says=says)
        self.refuse("run", "si.yaml", "--set", "solver.max_iterations=5 s", says="is a number without unit")

    def test_the_unit_of_every_key_is_known(self):
        """Otherwise no number with a unit would fit it."""
        done = subprocess.run([STICKSLIP, "schema"], capture_output=True, check=True)
        units = set()

        def collect(node):
            for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
                if isinstance(value, str):
                    units.update(re.findall(r" Unit: (.+)$", value))
                collect(value)

        collect(json.loads(done.stdout))
        self.assertGreater(len(units), 15)
        units -= {"pixels", "the value's unit"}
        for unit in units:
            for one in re.split(", | or ", unit):
                with self.subTest(unit=one):
                    out, _ = self.run_command("check", "si.yaml", f"L=1 {one}")
                    self.assertRegex(out, r"L +=")


if __name__ == "__main__":
    unittest.main()
