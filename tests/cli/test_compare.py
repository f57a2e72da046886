"""Schemes beside each other: the table says what the records say, refusals do not end it."""
import csv
import json
import os
import signal
import subprocess
import time
import unittest
import xml.dom.minidom

import h5py

from command import BALL, ENDLESS, SCENES, STICKSLIP, CommandTest

ROD = os.path.join(SCENES, "rod.yaml")


class Compare(CommandTest):
    def table(self, folder):
        with open(self.path(f"{folder}/table.csv"), newline="") as file:
            return list(csv.DictReader(file))

    def texts(self, name):
        document = xml.dom.minidom.parse(self.path(name))
        return ["".join(node.data for node in text.childNodes if node.nodeType == node.TEXT_NODE).strip()
                for text in document.getElementsByTagName("text")]

    def test_every_scheme_and_step_has_a_row(self):
        out, _ = self.run_command("compare", ROD, "--schemes", "moreau,theta", "--steps", "0.02,1e-2", "-o", "out")
        rows = self.table("out")
        self.assertEqual([(row["scheme"], float(row["step/s"])) for row in rows],
                         [("moreau", 0.02), ("moreau", 0.01), ("theta", 0.02), ("theta", 0.01)])
        self.assertEqual(out.split("\n")[0].split()[:3], ["scheme", "step/s", "drift/m"])
        for row in rows:
            self.assertEqual(float(row["end/s"]), 1)
            self.assertEqual(float(row["failures"]), 0)
            self.assertGreater(float(row["cpu/s"]), 0)

    def test_the_table_says_what_the_records_say(self):
        self.run_command("compare", ROD, "--schemes", "moreau,stewart_trinkle", "-o", "out")
        for row in self.table("out"):
            with h5py.File(self.path(f"out/{row['scheme']}.h5")) as record:
                q = record["/q"][:]
                balance = record["/energy/balance"][:]
                n_events = len(record["/events/time"])
            drift = max(abs((x * x + y * y) ** 0.5 - 1) for x, y in q)
            self.assertAlmostEqual(float(row["drift/m"]), drift, delta=1e-12)
            self.assertAlmostEqual(float(row["energy error/J"]), max(abs(balance)), delta=1e-15)
            self.assertEqual(int(row["switches"]), n_events)
        drifts = {row["scheme"]: float(row["drift/m"]) for row in self.table("out")}
        self.assertLess(10 * drifts["stewart_trinkle"], drifts["moreau"])

    def test_orders_of_the_end(self):
        self.run_command("compare", ROD, "--schemes", "moreau,generalized_alpha", "--steps", "4e-3,2e-3,1e-3,2.5e-4",
                         "--no-plots", "-o", "out")
        self.assertFalse(os.path.exists(self.path("out/overview.svg")))
        orders = {row["scheme"]: float(row["order"]) for row in self.table("out")}
        self.assertAlmostEqual(orders["moreau"], 1, delta=0.1)  # velocity level on a curved path
        self.assertAlmostEqual(orders["generalized_alpha"], 2, delta=0.1)
        self.run_command("compare", ROD, "--schemes", "moreau", "--steps", "4e-3,2e-3", "--no-plots", "-o", "two")
        self.assertTrue(all(row["order"] in ("", "nan") for row in self.table("two")))

    def test_the_overview_shows_all_that_ran(self):
        self.run_command("compare", BALL, "--schemes", "moreau,theta,ggl", "--steps", "4e-3,1e-3", "-o", "out")
        texts = self.texts("out/overview.svg")
        for text in ("moreau", "ggl", "4e-3", "1e-3", "drift in m", "energy error in J", "processor time in s"):
            self.assertIn(text, texts)
        self.assertNotIn("theta", texts)  # it treats no restitution

    def test_penetration_of_contacts(self):
        self.run_command("compare", BALL, "--schemes", "moreau", "--no-plots", "-o", "out")
        with h5py.File(self.path("out/moreau.h5")) as record:
            lowest = min(record["/q"][:, 1])
        self.assertLess(lowest, 0)
        self.assertAlmostEqual(float(self.table("out")[0]["drift/m"]), -lowest, delta=1e-14)

    def test_without_a_list_every_scheme_is_tried(self):
        out, _ = self.run_command("compare", BALL, "--no-plots")
        listed, _ = self.run_command("list", "schemes")
        names = [line.split(":")[0].strip() for line in listed.split("\n")
                 if line.startswith("  ") and not line.startswith("   ") and ":" in line]
        self.assertIn("moreau", names)
        for name in names:
            self.assertIn(f"  {name}", out)

    def test_refusals_are_listed_and_not_fatal(self):
        out, _ = self.run_command("compare", BALL, "--schemes", "moreau,theta", "--steps", "1e-2,1e-3", "-o", "out")
        refused = out.split("refused:")[1]
        self.assertEqual(refused.count("theta:"), 1)
        self.assertIn("restitution", refused)
        self.assertEqual({row["scheme"] for row in self.table("out")}, {"moreau"})

    def test_runs_that_end_early_are_listed(self):
        out, err = self.run_command("compare", BALL, "--schemes", "moreau", "--no-plots", "-o", "out",
                                    "--set", "solver.max_iterations=1", "--set", "solver.tolerance=1e-15",
                                    "--set", "solver.relaxation=0.1", code=1)
        self.assertIn("ended early:", out)
        self.assertIn("did not converge", out)
        self.assertIn("no scheme came to the end", err)
        self.assertLess(float(self.table("out")[0]["end/s"]), 1.5)

    def test_options_of_one_scheme(self):
        out, _ = self.run_command("compare", ROD, "--schemes", "moreau,theta", "--set", "scheme.theta=0.6",
                                  "--no-plots")
        self.assertIn("refused:\n  moreau: ", out)

    def test_plots_overlay_all_schemes(self):
        out, _ = self.run_command("compare", ROD, "--schemes", "moreau,theta", "-o", "out")
        self.assertIn("2 of 2 plots", out)
        for name in ("path", "speeds"):
            texts = self.texts(f"out/{name}.svg")
            self.assertIn("moreau", texts)
            self.assertIn("theta", texts)
        self.assertIn("Speeds", texts)
        self.assertIn("x'", texts)
        self.assertIn("y'", texts)

    def test_a_signal_ends_it(self):
        os.mkdir(self.path("out"))
        process = subprocess.Popen([STICKSLIP, "compare", ENDLESS, "--schemes", "theta,moreau", "-o", "out"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.listdir(self.path("out")) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, err)
        self.assertIn(b"interrupted while moreau was running", err)
        self.assertIn(b"refused:\n  theta: ", out)
        self.assertEqual(os.listdir(self.path("out")), ["table.csv"])

    def test_what_is_refused(self):
        self.refuse("compare", says="compare needs more")
        self.refuse("compare", "missing.yaml", says="missing.yaml")
        self.refuse("compare", ROD, "--schemes", "moreu", says="moreau")
        self.refuse("compare", ROD, "--schemes", ",", says="--schemes is empty")
        self.refuse("compare", ROD, "--steps", "0.1,-1", says="'-1'; a step is a positive number")
        self.refuse("compare", ROD, "--format", "bmp", says="it can be svg or png")
        self.refuse("compare", BALL, "--schemes", "theta", "--no-plots", says="no scheme can treat this scene")

    def test_a_scheme_is_not_run_under_other_names(self):
        for command in "compare", "convergence":
            for setting in "scheme.type=theta", "scheme=theta":
                self.refuse(command, ROD, "--schemes", "moreau,ggl", "--set", setting, says="")
        self.refuse("compare", ROD, "--set", "scheme.type=ggl", says="those of --schemes")
        self.assertFalse(os.path.exists(self.path("rod-compare")))

    def test_solvers_and_any_setting(self):
        out, _ = self.run_command("compare", BALL, "--solvers", "sorprox,jorprox", "--each", "solver.tolerance=1e-6,1e-12",
                                  "--set", "solver.relaxation=0.5", "--set", "simulation.step=4e-3", "--no-plots", "-o", "out")
        rows = self.table("out")
        self.assertEqual([(row["solver"], float(row["solver.tolerance"])) for row in rows],
                         [("sorprox", 1e-6), ("sorprox", 1e-12), ("jorprox", 1e-6), ("jorprox", 1e-12)])
        self.assertNotIn("scheme", rows[0])
        self.assertLess(int(rows[0]["iterations"]), int(rows[1]["iterations"]))
        # each is what a run with these settings is
        for row in rows:
            said = json.loads(self.run_command("run", BALL, "--set", f"solver.type={row['solver']}", "--set",
                                               f"solver.tolerance={row['solver.tolerance']}", "--set", "solver.relaxation=0.5",
                                               "--set", "simulation.step=4e-3", "--no-plots", "--json")[0])
            self.assertEqual(said["statistics"]["iterations"], int(row["iterations"]))
        self.assertTrue(os.path.exists(self.path("out/jorprox_tolerance_1e-12.h5")))

    def test_simulations_with_keys_of_their_own(self):
        words = ("compare", BALL, "--simulations", "constant,event_driven", "--no-plots", "-o", "out")
        out, _ = self.run_command(*words)
        self.assertIn("event_driven: simulation: 'output' is missing", out)
        out, _ = self.run_command(*words, "--with", "event_driven.output=0.01")
        self.assertNotIn("refused", out)
        drifts = {row["simulation"]: float(row["drift/m"]) for row in self.table("out")}
        self.assertLess(1e4 * drifts["event_driven"], drifts["constant"])
        self.refuse(*words, "--with", "augmented.output=1", says="none of the schemes, solvers and simulations")
        self.refuse(*words, "--with", "output=1", says="TYPE.KEY=VALUE")

    def test_what_is_compared_cannot_be_set(self):
        for words in (["--solvers", "sorprox", "--set", "solver.type=newton"], ["--solvers", "sorprox", "--set", "solver=newton"],
                      ["--simulations", "constant", "--set", "simulation.type=hybrid"],
                      ["--each", "solver.tolerance=1e-6,1e-7", "--set", "solver.tolerance=1e-8"],
                      ["--each", "scheme.type=moreau,theta"], ["--each", "solver.tolerance=1e-6,1e-6"],
                      ["--each", "solver.tolerance=1:2:3"], ["--solvers", "sorprox,sorprox"],
                      ["--steps", "1e-3", "--set", "simulation.step=1e-2"], ["--steps", "1e-3", "--each", "simulation.step=1,2"]):
            self.refuse("compare", ROD, *words, says="")
        self.assertFalse(os.path.exists(self.path("rod-compare")))
        out, _ = self.run_command("compare", ROD, "--solvers", "sorprox", "--set", "scheme.type=theta", "--no-plots", "--json")
        other, _ = self.run_command("run", ROD, "--set", "scheme.type=theta", "--no-plots", "--json")
        end = json.loads(other)["end_state"]
        with h5py.File(self.path(json.loads(out)["runs"][0]["record"])) as record:  # the scheme that was set
            self.assertEqual(record["/q"][-1].tolist(), [end["rod.x"], end["rod.y"]] if "rod.x" in end else list(end.values())[:2])

    def test_json(self):
        out, _ = self.run_command("compare", BALL, "--schemes", "moreau,theta", "--steps", "1e-2,5e-3", "--json", "-o", "out")
        said = json.loads(out)
        self.assertEqual({key: type(value) for key, value in said.items()},
                         {"name": str, "version": str, "folder": str, "runs": list})
        keys = {"scheme": str, "step": float, "outcome": str, "reason": str, "drift": (float, type(None)),
                "energy_error": (float, type(None)), "order": type(None), "steps": int, "switches": int, "iterations": int,
                "failures": int, "cpu": (int, float), "end": (int, float), "record": str}
        for run in said["runs"]:
            self.assertEqual(set(run), set(keys))
            for key, kind in keys.items():
                self.assertIsInstance(run[key], kind, key)
        self.assertEqual([run["outcome"] for run in said["runs"]], ["ended", "ended", "refused", "refused"])
        self.assertIn("restitution", said["runs"][2]["reason"])
        for run, row in zip(said["runs"], self.table("out")):
            self.assertEqual(run["drift"], float(row["drift/m"]))
            self.assertEqual(run["switches"], int(row["switches"]))

    def test_without_gnuplot(self):
        _, err = self.run_command("compare", ROD, "--schemes", "moreau", env=dict(os.environ, PATH="/nowhere"))
        self.assertIn("gnuplot is not installed", err)


if __name__ == "__main__":
    unittest.main()
