"""What contacts leave open: analyse, and what runs and solves say about it."""
import json
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
