"""The verdict of a run: trusted or why not, what it exits with, and where the record says it."""
import json
import os
import re
import unittest

import h5py

from command import BALL, CommandTest

LIAR = os.environ["STICKSLIP_LIAR"]
SPRING = """
systems: {mass: {type: point, dim: 1, mass: 1, position: 1}}
forces: {spring: {type: spring, system: mass, to_point: [3], length: 1, stiffness: k}}
scheme: {type: moreau}
parameters: {h: 0.1, k: 100, end: 1}
simulation: {type: constant, step: h, end: end%s}
"""
SLIDER = """
systems: {stone: {type: point, dim: 2, mass: 2, velocity: [3, 0]}}
elements: {floor: {type: plane, system: stone, normal: [0, 1], laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.3}}}}
forces: {weight: {type: gravity, acceleration: [0, -9.81]}}
solver: %s
simulation: %s
"""
STONES = """
systems: {stone: {repeat: {i: 60}, type: point, dim: 1, mass: 1}}
elements: {floor: {repeat: {i: 60}, type: expression, gap: "stone_{i}.x", laws: {gap: {type: unilateral}}}}
forces: {weight: {type: gravity, acceleration: [-9.81]}}
solver: {forces: any}
simulation: %s
"""
BULLET = """
systems: {bullet: {type: body, position: [0, 0, 0.2], velocity: [0, 0, -100, 0, 0, 0]}}
shapes: {wall: {type: box, size: [1, 1, 0.01]}, bullet: {type: sphere, radius: 0.01, on: bullet, density: 1000}}
elements: {contact: {type: contact, laws: {gap: {type: unilateral, restitution: 0.5}}}}
simulation: {type: constant, step: 1e-3, end: 0.01}
"""
CONSTANT = "{type: constant, step: 1e-3, end: 0.05%s}"
EVENT = "{type: event_driven, output: 1e-2, end: 0.05%s}"
AUGMENTED = "{type: augmented, step_max: 1e-2, step_min: 1e-6, end: 0.05%s}"
HYBRID = "{type: hybrid, output: 1e-2, step: 1e-3, end: 0.05%s}"


class VerdictTest(CommandTest):
    def scene(self, text, name="scene.yaml"):
        with open(self.path(name), "w") as file:
            file.write(text)
        return name

    def verdict(self, record="scene.h5"):
        return json.loads(self.run_command("info", record, "--json")[0])["verdict"]

    def slider(self, lie, simulation=CONSTANT, more=""):
        return self.scene(SLIDER % ("{type: liar, lie: %s}" % lie, simulation % more))


class Verdicts(VerdictTest):
    def test_trusted(self):
        out, err = self.run_command("run", BALL, "--no-plots")
        self.assertEqual(err, "")
        last = out.splitlines()[-1]
        self.assertRegex(last, r"^  verdict    trusted: energies balance to \S+ of them; not examined: the laws of each step")
        self.assertIn(last, self.run_command("info", "ball.h5")[0])
        verdict = self.verdict("ball.h5")
        self.assertIs(verdict["trusted"], True)
        self.assertEqual(verdict["doubts"], [])
        with h5py.File(self.path("ball.h5")) as file:
            self.assertEqual(file.attrs["doubts"], 0)
            self.assertIn(verdict["text"].encode(), bytes(file.attrs["verdict"]))

    def test_energy(self):
        self.scene(SPRING % "")
        out, err = self.run_command("run", "scene.yaml", "--no-plots", code=1)
        self.assertIn("verdict    NOT trusted: energy: ", out.splitlines()[-1])
        self.assertRegex(err, r"^stickslip: not trusted: energy: \S+ J of \S+ J unaccounted for, more than 1 %")
        quiet = self.run_command("run", "scene.yaml", "--no-plots", "--quiet", code=1)
        self.assertEqual(quiet, ("", err))
        self.assertEqual(self.verdict()["doubts"], ["energy"])
        self.run_command("run", "scene.yaml", "h=1e-3", "-q", "--no-plots")
        self.assertTrue(self.verdict()["trusted"])

    def test_allowed(self):
        self.scene(SPRING % "")
        _, err = self.run_command("run", "scene.yaml", "--no-plots", "-q", "--allow", "growth,energy")
        self.assertIn("warning: not trusted, as allowed: energy: ", err)
        self.assertFalse(self.verdict()["trusted"])
        self.run_command("run", "scene.yaml", "--no-plots", "-q", "--allow", "growth", code=1)
        self.scene(SPRING % ", allow: [energy]")
        _, err = self.run_command("run", "scene.yaml", "--no-plots", "-q")
        self.assertIn("as allowed: energy", err)

    def test_allow_is_checked(self):
        self.scene(SPRING % "")
        for word in ["enrgy", "energy,", "", "unfinished", "energy growth"]:
            self.refuse("run", "scene.yaml", "--allow", word, says="it can name convergence, laws, energy, growth")
        self.scene(SPRING % ", allow: [energy, speed]")
        self.refuse("run", "scene.yaml", says="'allow' names 'speed'")
        self.assertEqual(os.listdir(self.folder), ["scene.yaml"])

    def test_growth(self):
        """k h² = 10 is beyond the limit of 4, where the explicit rule loses its stability."""
        self.scene(SPRING % "")
        err = self.run_command("run", "scene.yaml", "k=1000", "-q", "--no-plots", code=1)[1]
        self.assertRegex(err, r"growth: kinetic energy of \S+ J, and only \S+ J to move with")
        self.assertIn("growth", self.verdict()["doubts"])
        err = self.run_command("run", "scene.yaml", "k=1000", "end=20", "-q", "--no-plots", code=1)[1]
        self.assertIn("growth: energies are no numbers any more", err)
        self.run_command("run", "scene.yaml", "k=1000", "-q", "--no-plots", "--allow", "growth,energy")

    def test_tunnelling(self):
        self.scene(BULLET)
        _, err = self.run_command("run", "scene.yaml", "-q", "--no-plots", code=1)
        self.assertIn("not trusted: tunnelling: in ", err)
        self.run_command("run", "scene.yaml", "-q", "--no-plots", "--set", "simulation.step=1e-5")
        self.assertTrue(self.verdict()["trusted"])

    def test_unfinished(self):
        self.slider("gives_up")
        _, err = self.run_command("run", "scene.yaml", "--plugin", LIAR, "-q", "--no-plots", "--allow",
                                  "convergence", code=1)
        self.assertIn("did not converge", err)
        self.assertEqual(self.verdict()["doubts"], ["unfinished"])


class Unexamined(VerdictTest):
    def told(self):
        return int(re.search(r"unique in (\d+) steps? with many rows", self.verdict()["text"]).group(1))

    def test_every_step_with_many_rows_is_counted(self):
        for simulation in CONSTANT, AUGMENTED:
            with self.subTest(simulation):
                self.scene(STONES % (simulation % ""))
                self.run_command("run", "scene.yaml", "-q", "--no-plots")
                steps = json.loads(self.run_command("info", "scene.h5", "--json")[0])["statistics"]["steps"]
                self.assertGreater(steps, 1)
                self.assertEqual(self.told(), steps)

    def test_resuming_counts_as_the_uninterrupted_run(self):
        self.scene(STONES % CONSTANT % "")
        self.run_command("run", "scene.yaml", "-q", "--no-plots", "-o", "whole.h5", "--set", "simulation.end=0.1")
        self.run_command("run", "scene.yaml", "-q", "--no-plots")
        self.run_command("resume", "scene.h5", "--until", "0.1", "-q", "--no-plots")
        self.assertEqual(self.told(), 100)
        with h5py.File(self.path("scene.h5")) as a, h5py.File(self.path("whole.h5")) as b:
            self.assertEqual(a["checkpoint/state"][:].tobytes(), b["checkpoint/state"][:].tobytes())


class Convergence(VerdictTest):
    def test_every_simulation_stops(self):
        for simulation in CONSTANT, EVENT, AUGMENTED, HYBRID:
            chooses = simulation in (EVENT, AUGMENTED)  # their steps themselves: shrinking them does nothing
            for more in ("",) if chooses else ("", ", on_failure: shrink"):
                with self.subTest(simulation + more):
                    self.slider("gives_up", simulation, more)
                    _, err = self.run_command("run", "scene.yaml", "--plugin", LIAR, "-q", "--no-plots", code=1)
                    self.assertRegex(err, "did not converge|were not found")

    def test_every_simulation_says_what_it_accepts(self):
        for simulation in CONSTANT, EVENT, AUGMENTED, HYBRID:
            with self.subTest(simulation):
                self.slider("gives_up", simulation, ", on_failure: warn")
                _, err = self.run_command("run", "scene.yaml", "--plugin", LIAR, "-q", "--no-plots", code=1)
                self.assertIn("convergence", self.verdict()["doubts"], err)
                self.assertRegex(err, r"not trusted: convergence: \d+ steps? accepted that did not converge")

    def test_a_solver_that_converges_is_accepted(self):
        for simulation in CONSTANT, EVENT, AUGMENTED, HYBRID:
            with self.subTest(simulation):
                self.slider("none", simulation)
                self.run_command("run", "scene.yaml", "--plugin", LIAR, "-q", "--no-plots")


class Certificates(VerdictTest):
    def test_corners_leave_a_face(self):
        """Two corners of a box go over the edge of a table, pressed until then."""
        self.scene("""systems:
  box: {type: body, mass: 1, inertia: [0.004, 0.004, 0.006], position: [0, 0, 0.05], velocity: [1, 0, 0]}
shapes:
  box: {type: box, on: box, size: [0.2, 0.2, 0.1]}
  table: {type: box, size: [1, 1, 0.1], at: [-0.37, 0, -0.05]}
elements:
  rule: {type: contact, laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.3}}}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
simulation: {type: event_driven, output: 0.01, end: 0.1}
""")
        out, _ = self.run_command("run", "scene.yaml", "--no-plots", "--certify")
        self.assertIn("4 closed", out)

    def test_right(self):
        for simulation in CONSTANT, EVENT, AUGMENTED, HYBRID:
            with self.subTest(simulation):
                self.slider("none", simulation)
                out, _ = self.run_command("run", "scene.yaml", "--plugin", LIAR, "--no-plots", "--certify")
                self.assertRegex(out, r"verdict    trusted: .*, laws kept in [1-9]\d* solves and phases")
                self.assertNotIn("the laws of", out)

    def test_lies(self):
        """One set of wrong impulses for each, under a simulation that believes them."""
        words = {"pull": "floor.gap: acts the wrong way: a contact pulls",
                 "cone": "floor.slip: its impulse is outside of its set",
                 "along": "floor.slip: friction does not oppose the slip",
                 "lazy": "floor.gap: still approaches"}
        for simulation in CONSTANT, AUGMENTED:
            for lie, word in words.items():
                with self.subTest(lie + simulation):
                    self.slider(lie, simulation)
                    _, err = self.run_command("run", "scene.yaml", "--plugin", LIAR, "-q", "--no-plots",
                                              "--certify", code=1)
                    self.assertIn("not trusted: laws: not kept in ", err)
                    self.assertIn(word, err)
                    self.assertIn("laws", self.verdict()["doubts"])

    def test_lies_in_the_impact_of_a_phase(self):
        words = {"cone": "floor.slip: its impulse is outside of its set",
                 "along": "floor.slip: friction does not oppose the slip",
                 "lazy": "floor.gap: still approaches"}
        for lie, word in words.items():
            with self.subTest(lie):
                self.slider(lie, EVENT)
                with open(self.path("scene.yaml")) as file:
                    text = file.read().replace("velocity: [3, 0]", "position: [0, 0.01], velocity: [3, -1]")
                self.scene(text)
                _, err = self.run_command("run", "scene.yaml", "--plugin", LIAR, "-q", "--no-plots", "--certify", code=1)
                self.assertIn(word, err)

    def test_setting_in_the_scene_survives_resuming(self):
        self.scene(SLIDER % ("{type: sorprox}", CONSTANT % ", certify: true"))
        self.run_command("run", "scene.yaml", "-q", "--no-plots")
        self.run_command("resume", "scene.h5", "--until", "0.1", "-q", "--no-plots")
        statistics = json.loads(self.run_command("info", "scene.h5", "--json")[0])["statistics"]
        self.assertEqual(statistics["certified"], statistics["steps"])
        self.assertEqual(statistics["steps"], 100)

    def test_certifying_changes_nothing(self):
        for simulation in CONSTANT, EVENT, AUGMENTED, HYBRID:
            with self.subTest(simulation):
                self.scene(SLIDER % ("{type: sorprox}", simulation % ""))
                self.run_command("run", "scene.yaml", "-q", "--no-plots", "-o", "a.h5")
                self.run_command("run", "scene.yaml", "-q", "--no-plots", "-o", "b.h5", "--certify")
                with h5py.File(self.path("a.h5")) as a, h5py.File(self.path("b.h5")) as b:
                    for name in "q", "u", "impulse":
                        self.assertEqual(a[name][:].tobytes(), b[name][:].tobytes())


if __name__ == "__main__":
    unittest.main()
