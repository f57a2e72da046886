"""What contacts leave open: analyse, and what runs and solves say about it."""
import json
import math
import os
import unittest

from command import SOURCE, CommandTest

SCENES = os.path.join(SOURCE, "scenes")
TABLE = os.path.join(SCENES, "table.yaml")
ROD = os.path.join(SCENES, "painleve.yaml")
GAIN = os.path.join(SCENES, "incompatible_restitution.yaml")


class Analyse(CommandTest):
    def analyse(self, *words):
        return json.loads(self.run_command("analyse", *words, "--json")[0])

    def test_table(self):
        text, _ = self.run_command("analyse", TABLE, "--at", "1")
        self.assertIn("4 rows held, rank 3, null space of dimension 1", text)
        self.assertIn("forces NOT unique; motion NOT unique", text)
        self.assertIn("the γ-equations do not exist", text)
        found = self.analyse(TABLE, "--at", "1")
        self.assertEqual((found["held"], found["rank"], found["nullity"]), (4, 3, 1))
        self.assertAlmostEqual(found["t"], 1)
        self.assertEqual(len(found["null_space"][0]), found["rows"])
        self.assertFalse(found["gamma_equations"])
        force = sum(law["impulse"][0] for law in found["laws"] if law["name"].endswith("gap"))
        self.assertAlmostEqual(force / found["dt"], 1, places=8)

    def test_painleve(self):
        self.assertEqual(self.analyse(ROD)["solutions"], 1)
        paradox = self.analyse(ROD, "mu=1.8")
        self.assertEqual((paradox["solutions"], paradox["consistent"]), (0, False))
        self.assertEqual(self.analyse(ROD, "mu=1.8", "omega=4")["solutions"], 2)
        text, _ = self.run_command("analyse", ROD, "mu=1.8")
        self.assertIn("NO solution", text)

    def test_impacts(self):
        found = self.analyse(GAIN, "--at", "0.0002")
        self.assertFalse(found["impact_monotone"])
        self.assertAlmostEqual(found["impact_least_eigenvalue"], 1 - 5 ** 0.5 / 2)
        self.assertGreater(found["impact_expansion"], 1.1)
        self.assertTrue(self.analyse(GAIN, "epsilon_1=1", "--at", "0.0002")["impact_monotone"])

    def row_of_balls(self, count, restitution, rest="simulation: {step: 1e-3, end: 1}"):
        """Balls on a line that are in contact, the first one approaching."""
        with open(self.path("row.yaml"), "w") as file:
            file.write(f"""systems:
  b: {{repeat: {{i: {count}}}, type: point, dim: 1, mass: 1, position: i, velocity: "i == 0"}}
elements:
  c:
    repeat: {{i: {count - 1}}}
    type: expression
    gap: "b_{{i+1}}.x - b_{{i}}.x - 1"
    laws: {{gap: {{type: unilateral, restitution: {restitution}}}}}
{rest}
""")
        return self.analyse(self.path("row.yaml"))

    def test_impacts_of_any_size(self):
        """G is tridiagonal, 2 and -1, Δ is 1, 0, 1, 0 …: in sum (ΔG + GΔ)/2 has the diagonal 2, 0 and -1/2 beside it, with
        eigenvalues 1 ± √(1 + cos²(kπ/(n + 1))) for an even n."""
        for n in (2, 66, 502):
            found = self.row_of_balls(n + 1, "i - 2*floor(i/2)")
            least = 1 - (1 + math.cos(math.pi / (n + 1)) ** 2) ** 0.5
            self.assertEqual((found["impact_examined"], found["impact_dissipative"], found["impact_monotone"]), (True, False, False))
            self.assertLessEqual(found["impact_least_eigenvalue"], least + 1e-12)
            self.assertGreaterEqual(found["impact_most_eigenvalue"], least - 1e-12)
            self.assertAlmostEqual(found["impact_least_eigenvalue"], least, places=2 if n > 500 else 10)
            self.assertAlmostEqual(found["impact_most_eigenvalue"], least, places=2 if n > 500 else 10)
            if n < 500:
                self.assertTrue(self.row_of_balls(n + 1, 0.3)["impact_monotone"])

    def test_impacts_of_the_law_in_use(self):
        for rest in ("scheme: {type: moreau, impact: poisson}\nsimulation: {step: 1e-3, end: 1}",
                     "scheme: {type: potra}\nsimulation: {step: 1e-3, end: 1}",
                     "scheme: {type: paoli_schatzman}\nsimulation: {step: 1e-3, end: 1}",
                     "simulation: {type: event_driven, output: 0.1, end: 1, impact: poisson}"):
            found = self.row_of_balls(3, "i", rest)
            self.assertFalse(found["impact_examined"])
            self.assertNotIn("impact_monotone", found)
            self.assertIn("impacts    not examined: ", self.run_command("analyse", self.path("row.yaml"))[0])

    def test_impacts_with_friction(self):
        """A body in a wedge of 90 degrees; its moment couples normal and tangent."""
        side = "{{type: expression, gap: \"{}\", slip: \"{}\", laws: {{gap: {{type: unilateral, restitution: {}}}, " \
               "slip: {{type: friction, mu: 0.5, restitution: {}}}}}}}"
        for normal, tangent, least in ((0.5, 0.5, 0), (0, 0, 0), (0.5, 0, -1)):
            with open(self.path("wedge.yaml"), "w") as file:
                file.write("systems: {b: {type: planar_body, mass: 1, inertia: 0.1, velocity: [1, -1, 3]}}\nelements:\n  l: "
                           + side.format("b.x + b.y", "b.x' - b.y' + b.phi'", normal, tangent) + "\n  r: "
                           + side.format("b.y - b.x", "b.x' + b.y' - b.phi'", normal, tangent)
                           + "\nsimulation: {step: 1e-3, end: 1}\n")
            found = self.analyse(self.path("wedge.yaml"))
            self.assertTrue(found["impact_friction"] and found["impact_examined"])
            self.assertFalse(found["impact_monotone"])
            self.assertEqual(found["impact_dissipative"], least == 0)
            self.assertIs(found["impact_least_eigenvalue"] < -0.1, least < 0)

    def test_what_is_next_depends_on_forces(self):
        """Friction of the block's feet may be shared in many ways: this step is unique, not which foot slips first."""
        found = self.analyse(os.path.join(SCENES, "block.yaml"), "--at", "0.1")
        self.assertEqual((found["forces_unique"], found["motion_unique"], found["limits_unique"]), (False, True, False))
        text, _ = self.run_command("analyse", os.path.join(SCENES, "block.yaml"), "--at", "0.1")
        self.assertIn("motion of this step unique; what slips or opens next depends on the choice", text)

    def test_nothing_active(self):
        text, _ = self.run_command("analyse", os.path.join(SCENES, "falling_mass.yaml"))
        self.assertIn("none is active", text)

    def test_faults(self):
        for time in ("-1", "soon", "inf"):
            _, message = self.run_command("analyse", TABLE, f"--at={time}", code=2)
            self.assertIn("must be a time >= 0", message)
        self.run_command("analyse", "nowhere.yaml", code=2)
        self.run_command("analyse", code=2)

    def test_runs_tell(self):
        text, _ = self.run_command("run", TABLE, "--set", "simulation.end=0.1", "--no-plots", "-o", "a.h5")
        self.assertIn("NOT unique in 10 of 10 steps; chosen: minimum_norm", text)
        self.assertIn("NOT unique in 10 of 10 steps; chosen: minimum_norm", self.run_command("info", "a.h5")[0])
        text, message = self.run_command("run", GAIN, "--no-plots", "-o", "b.h5")
        self.assertIn("an impact added 0.5 J", message)
        self.assertIn("1 ADDED energy, 0.5 J together", text)
        _, message = self.run_command("run", GAIN, "epsilon_1=1", "--no-plots", "-o", "b.h5")
        self.assertNotIn("added", message)

    def test_solves_choose(self):
        """Two contacts under one body: half of the load each."""
        with open(self.path("two.fcp"), "w") as file:
            file.write("2 2 8\n0 0 1\n0 2 1\n2 0 1\n2 2 1\n1 1 1\n1 3 1\n3 1 1\n3 3 1\n-1 0 -1 0\n0.5 0.5\n")
        text, _ = self.run_command("solve", "two.fcp", "--set", "forces=minimum_norm", "-o", "P.txt")
        self.assertIn("minimum_norm, chosen from a space of dimension 2", text)
        with open(self.path("P.txt")) as file:
            P = [float(line) for line in file if line[:1] != "#"]
        for found, expected in zip(P, (0.5, 0, 0.5, 0)):
            self.assertAlmostEqual(found, expected, places=8)
        found = json.loads(self.run_command("solve", "two.fcp", "--json", "--set", "forces=minimum_norm")[0])
        self.assertEqual(found["solves"][0]["freedom"], 2)
        _, message = self.run_command("solve", "two.fcp", "--solver", "gamma", code=2)
        self.assertIn("the γ-equations do not exist", message)


if __name__ == "__main__":
    unittest.main()
