"""Forces that are not unique: with the defaults an evenly pressed face carries its load evenly, with every solver, step and
order of the rows, and slips when statics say so."""
import itertools
import unittest

import h5py
import numpy

from command import CommandTest

G = 9.81
GRIPPER = """
parameters: {m: 0.5, mu: 0.4, off: 0, J: 1e-3}
systems:
  box: {type: body, mass: m, inertia: [J, J, J]}
  left: {type: body, mass: 0.2, inertia: [1e-3, 1e-3, 1e-3], position: [-0.07, off, 0]}
  right: {type: body, mass: 0.2, inertia: [1e-3, 1e-3, 1e-3], position: [0.07, off, 0]}
shapes:
  box: {type: box, on: box, size: [0.1, 0.1, 0.1], material: box}
  left: {type: box, on: left, size: [0.04, 0.05, 0.05], material: finger}
  right: {type: box, on: right, size: [0.04, 0.05, 0.05], material: finger}
elements:
%s
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  squeeze_left: {type: load, on: ["left.x'", "left.y'", "left.z'"], force: ["10 - 2*t", "0", "0"]}
  squeeze_right: {type: load, on: ["right.x'", "right.y'", "right.z'"], force: ["-(10 - 2*t)", "0", "0"]}
simulation: {type: constant, step: 1e-3, end: 2}
"""
GRIP = "  grip: {type: contact, between: [box, finger], laws: {gap: {type: unilateral}, slip: {type: friction, mu: mu}}}"
RAILS = ["  rail_left: {type: prismatic, system: left, at: [-0.07, off, 0], axis: [1, 0, 0]}",
         "  rail_right: {type: prismatic, system: right, at: [0.07, off, 0], axis: [1, 0, 0]}"]
# Two corners a side of a planar box, each an element of its own.
PLANAR = """
parameters: {m: 0.5, mu: 0.4, a: 0.05, b: 0.03}
systems:
  box: {type: planar_body, mass: m, inertia: 1e-3}
  finger: {type: point, dim: 1, mass: 0.2}
elements:
%s
forces:
  weight: {type: gravity, on: box, acceleration: [0, -9.81]}
  squeeze: {type: load, on: "finger.x'", force: ["-(10 - 2*t)"]}
simulation: {type: constant, step: 1e-3, end: 2}
"""
CORNERS = [f"  {side}_{i}: {{type: expression, gap: \"{gap}\", slip: \"box.y' + {x}*box.phi'\", laws: {{gap: {{type: unilateral}}, "
           f"slip: {{type: friction, mu: mu}}}}}}"
           for side, x in (("wall", "(-a)"), ("finger", "a")) for i, y in enumerate(("b", "(-b)"))
           for gap in ["box.x - {y}*box.phi" if side == "wall" else "finger.x - box.x + {y}*box.phi"]
           for gap in [gap.replace("{y}", y)]]
# A box on four feet, and one that is pulled.
FEET = """
parameters: {mu: 0.3, pull: 0}
systems: {box: {type: body, mass: 2, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.1]}}
shapes:
  box: {type: box, on: box, size: [0.3, 0.2, 0.2], material: box}
  floor: {type: plane, extent: 1, material: floor}
elements: {contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: %s}}}}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  pull: {type: load, on: ["box.x'", "box.y'", "box.z'"], force: ["pull*t", "0", "0"], }
simulation: {type: constant, step: 1e-3, end: 1.5}
"""
SOLVERS = ["auto", "sorprox", "exact", "interior", "alart_curnier", "woesle_pfeiffer", "admm"]


class EvenTest(CommandTest):
    def simulate(self, scene, *words):
        with open(self.path("scene.yaml"), "w") as f:
            f.write(scene)
        out, _ = self.run_command("run", "scene.yaml", "-o", "out.h5", "--no-plots", *words)
        return h5py.File(self.path("out.h5")), out

    def first_slip(self, record, law):
        """The end of the first step in which a law slips."""
        names = [n.decode() for n in record["names/laws"][:]]
        events = zip(record["events/time"][:], record["events/law"][:], record["events/to"][:])
        times = [t for t, l, to in events if names[l] in law and to == 1 and t > 0.1]
        self.assertTrue(times)
        return times[0]

    def test_grip_slips_at_its_limit(self):
        due = (10 - 0.5 * G / (2 * 0.4)) / 2
        for solver, step in itertools.product(SOLVERS, (1e-2, 1e-3)):
            words = ["--set", f"simulation.step={step}", "--set", "simulation.end=1.96"] + (["--set", f"solver.type={solver}"] if solver != "auto" else [])
            record, _ = self.simulate(GRIPPER % "\n".join([GRIP] + RAILS), *words)
            slip = self.first_slip(record, ["grip.slip"])
            self.assertTrue(due - 1e-9 < slip <= due + 1.5 * step, (solver, step, slip, due))

    def test_order_of_rows(self):
        due = (10 - 0.5 * G / (2 * 0.4)) / 2
        for rows in ([GRIP] + RAILS, RAILS + [GRIP], [RAILS[1], GRIP, RAILS[0]]):
            record, _ = self.simulate(GRIPPER % "\n".join(rows), "--set", "simulation.step=1e-4", "--set", "simulation.end=1.95")
            slip = self.first_slip(record, ["grip.slip"])
            self.assertTrue(due - 1e-9 < slip <= due + 1.5e-4, (rows, slip, due))

    def test_pressed_faces_carry_an_even_load(self):
        record, _ = self.simulate(GRIPPER % "\n".join([GRIP] + RAILS), "--set", "simulation.end=0.5")
        P = record["contacts/impulse"][-8:]
        numpy.testing.assert_allclose(numpy.abs(P[:, 0]), 9 * 1e-3 / 4, rtol=2e-3)
        numpy.testing.assert_allclose(numpy.abs(P[:, 2]), 0.5 * G * 1e-3 / 8, rtol=1e-6)

    def test_planar_grip(self):
        due = (10 - 0.5 * G / (2 * 0.4)) / 2
        for solver in ("auto", "sorprox", "exact", "funk", "alart_curnier"):
            for corners in (CORNERS, CORNERS[::-1]):
                words = ["--set", f"solver.type={solver}"] if solver != "auto" else []
                record, _ = self.simulate(PLANAR % "\n".join(corners), *words)
                slip = self.first_slip(record, [c.split(":")[0].strip() + ".slip" for c in CORNERS])
                self.assertTrue(due - 1e-9 < slip <= due + 1.5e-3, (solver, slip, due))


if __name__ == "__main__":
    unittest.main()
