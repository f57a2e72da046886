"""Sweeps: the table says what single runs say, whatever the jobs; kills, crashes and other sweeps are survived."""
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

from command import BALL, ENDLESS, STICKSLIP, CommandTest

# A mass slides on a rough plane and comes to rest after v²/(2 μ g): closed forms for every result.
SLIDE = """format: 1
name: slide
parameters: {mu: 0.3, v: 2, m: 1}
systems:
  box: {type: point, dim: 1, mass: m, position: 0, velocity: v}
elements:
  ground:
    type: expression
    slip: x'
    laws: {slip: {type: friction, bound: 9.81*m*mu}}
simulation: {type: event_driven, output: 0.01, end: 10}
"""
FALL = """format: 1
name: fall
parameters: {g: 9.81, h: 3, k: 1}
systems:
  stone: {type: point, dim: 1, mass: k, position: h}
forces:
  weight: {type: gravity, acceleration: -1*g}
simulation: {type: constant, step: 1e-3, end: 0.5}
"""


class Sweep(CommandTest):
    def setUp(self):
        super().setUp()
        with open(self.path("fall.yaml"), "w") as file:
            file.write(FALL)

    def text(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def rows(self, folder):
        with open(self.path(f"{folder}/table.csv"), newline="") as file:
            return list(csv.DictReader(file))

    def test_every_run_has_its_closed_form(self):
        out, _ = self.run_command("sweep", "fall.yaml", "g=1:9:5", "h=2,4", "--result", "x", "--result", "v=x'",
                                  "--result", "top=max:x", "--result", "low=min:x", "--result", "mean:x'",
                                  "--result", "from=first:x", "--set", "simulation.step=1e-2", "-o", "out")
        rows = self.rows("out")
        self.assertEqual([(float(r["g"]), float(r["h"])) for r in rows],
                         [(g, h) for g in (1, 3, 5, 7, 9) for h in (2, 4)])
        for row in rows:
            g, h = float(row["g"]), float(row["h"])
            self.assertAlmostEqual(float(row["v"]), -g * 0.5, delta=1e-12)
            self.assertAlmostEqual(float(row["x"]), h - g * 0.125, delta=1e-12)  # Moreau's midpoints are exact here
            self.assertEqual(float(row["top"]), h)
            self.assertEqual(float(row["from"]), h)
            self.assertEqual(row["low"], row["x"])
            self.assertAlmostEqual(float(row["mean:x'"]), -g * 0.25, delta=1e-12)
            self.assertEqual((row["verdict"], row["reason"], row["steps"], row["events"], row["end/s"]),
                             ("trusted", "", "50", "0", "0.5"))
        self.assertIn("10 runs, 10 trusted", out)
        self.assertTrue(os.path.getsize(self.path("out/sweep.svg")) > 1000)
        self.assertFalse(os.path.exists(self.path("out/records")))

    def test_the_mean_is_over_time(self):
        with open(self.path("slide.yaml"), "w") as file:
            file.write(SLIDE)
        self.run_command("sweep", "slide.yaml", "mu=0.2:0.8:4", "v=1,2", "--result", "x", "--result", "mean:x'",
                         "--set", "record.every=1", "-o", "out")
        for row in self.rows("out"):
            mu, v = float(row["mu"]), float(row["v"])
            way = v * v / (2 * mu * 9.81)
            self.assertAlmostEqual(float(row["x"]), way, delta=1e-9)
            self.assertAlmostEqual(float(row["mean:x'"]), way / 10, delta=1e-9)  # speeds are straight lines
            self.assertEqual(row["events"], "1")

    def test_the_same_bytes_with_any_jobs_and_as_single_runs(self):
        for jobs in ("1", "4"):
            self.run_command("sweep", BALL, "--over", "simulation.step=1e-3:1e-2:7:log", "-j", jobs, "-o", jobs)
        for name in ("table.csv", "table.h5", "sweep.svg"):
            with open(self.path(f"1/{name}"), "rb") as a, open(self.path(f"4/{name}"), "rb") as b:
                self.assertEqual(a.read(), b.read(), name)
        row = self.rows("1")[3]
        said = json.loads(self.run_command("run", BALL, "--set", f"simulation.step={row['simulation.step']}", "--json")[0])
        for name, value in said["end_state"].items():
            self.assertEqual(float(row[name]), value)
        self.assertEqual(int(row["events"]), said["events"])
        self.assertAlmostEqual(float(row["simulation.step"]), 10 ** -2.5, delta=1e-15)

    def test_hdf5_says_what_csv_says(self):
        self.run_command("sweep", "fall.yaml", "k=0,1,2", "--over", "scheme.type=moreau,theta", "--result", "x", "-o", "out",
                         code=1)
        rows = self.rows("out")
        with h5py.File(self.path("out/table.h5")) as table:
            self.assertEqual([n.decode() for n in table["parameter_names"]], ["k", "scheme.type"])
            words = [n.decode() for n in table["words_1"]]
            self.assertEqual([words[int(i)] for i in table["parameters"][:, 1]], [r["scheme.type"] for r in rows])
            self.assertEqual([n.decode() for n in table["result_names"]], ["x", "end/s", "steps", "events"])
            self.assertEqual([n.decode() for n in table["verdict"]], [r["verdict"] for r in rows])
            self.assertEqual([n.decode() for n in table["reason"]], [r["reason"] for r in rows])
            for values, row in zip(table["results"][:], rows):
                self.assertEqual(math.isnan(values[0]), row["x"] == "")
                if row["x"]:
                    self.assertEqual(values[0], float(row["x"]))
            self.assertIn("stone", table["scene"][0].decode())

    def test_runs_that_fail_are_listed_and_end_no_other(self):
        out, err = self.run_command("sweep", "fall.yaml", "k=0,1,-1,2", "-o", "out", code=1)
        self.assertIn("4 runs, 2 trusted, 2 refused", out)
        self.assertIn("0 (k=0): refused: system 'stone': 'mass' must be a number > 0", out)
        self.assertIn("2 of 4 runs are not trusted", err)
        self.assertEqual([row["verdict"] for row in self.rows("out")], ["refused", "trusted", "refused", "trusted"])
        self.assertTrue(self.rows("out")[2]["reason"].endswith("not -1"))

    def test_runs_that_are_not_trusted(self):
        settings = ("--set", "solver.max_iterations=1", "--set", "solver.tolerance=1e-15", "--set", "solver.relaxation=0.1",
                    "--over", "simulation.on_failure=stop,warn")
        out, _ = self.run_command("sweep", BALL, *settings, "-o", "out", code=1)
        self.assertEqual([row["verdict"] for row in self.rows("out")], ["failed", "not trusted"])
        self.assertIn("did not converge", self.rows("out")[0]["reason"])
        self.assertLess(float(self.rows("out")[0]["end/s"]), 1.5)
        out, _ = self.run_command("sweep", BALL, *settings, "--allow", "convergence", "-o", "two", code=1)
        self.assertEqual([row["verdict"] for row in self.rows("two")], ["failed", "trusted"])

    def test_latin_hypercubes(self):
        for seed in ("7", "7", "8"):
            self.run_command("sweep", "fall.yaml", "g=0:10:20", "h=1:100:20:log", "--sample", "latin", "--seed", seed,
                             "--no-plots", "-o", f"seed{seed}")
        rows = self.rows("seed7")
        g = [float(row["g"]) for row in rows]
        h = [math.log10(float(row["h"])) for row in rows]
        self.assertEqual(sorted(int(x * 2) for x in g), list(range(20)))  # one in each of the parts
        self.assertEqual(sorted(int(x * 10) for x in h), list(range(20)))
        self.assertGreater(len({round(x * 2 % 1, 3) for x in g}), 15)  # anywhere in it
        self.assertNotEqual(np.argsort(g).tolist(), np.argsort(h).tolist())
        self.assertNotEqual(g, [float(row["g"]) for row in self.rows("seed8")])

    def test_lists(self):
        self.run_command("sweep", "fall.yaml", "g=1,2,3", "h=4:6:3", "--sample", "list", "-o", "out")
        self.assertEqual([(float(r["g"]), float(r["h"])) for r in self.rows("out")], [(1, 4), (2, 5), (3, 6)])

    def test_a_killed_sweep_goes_on(self):
        words = [STICKSLIP, "sweep", "fall.yaml", "g=1:10:24", "--set", "simulation.step=1e-5", "--set", "record.every=100", "-j", "2"]
        process = subprocess.Popen([*words, "-o", "out"], cwd=self.folder, stderr=subprocess.DEVNULL)
        journal = self.path("out/journal.txt")
        while process.poll() is None and (not os.path.exists(journal) or self.text("out/journal.txt").count("\n") < 4):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertFalse(os.path.exists(self.path("out/table.csv")))
        with open(journal, "a") as file:
            file.write("39\t1\t0.5")  # a line that the kill cut off
        time.sleep(1)  # its runs end with it
        out, _ = self.run_command(*words[1:], "-o", "out")
        before = int(out.split("; ")[1].split()[0])
        self.assertGreaterEqual(before, 3)
        self.assertLess(before, 24)
        self.run_command(*words[1:], "-o", "whole")
        self.assertEqual(self.text("out/table.csv"), self.text("whole/table.csv"))
        again, _ = self.run_command(*words[1:], "-o", "out")
        self.assertIn("24 were done before", again)

    def test_a_signal_ends_it_and_its_runs(self):
        process = subprocess.Popen([STICKSLIP, "sweep", ENDLESS, "--over", "simulation.step=1e-3,1e-4,1e-5", "-o", "out"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.path.exists(self.path("out/journal.txt")) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, err)
        self.assertIn(b"the same command goes on", err)
        self.assertEqual(os.listdir(self.path("out")), ["journal.txt"])

    def test_two_sweeps_in_one_place(self):
        self.run_command("sweep", "fall.yaml", "g=1,2", "-o", "out")
        before = self.text("out/table.csv")
        for other in (["g=1,3"], ["g=1,2", "h=5"], ["g=1,2", "--result", "x"], ["g=1,2", "--set", "simulation.end=1"]):
            self.refuse("sweep", "fall.yaml", *other, "-o", "out", says="is of another study")
        self.assertEqual(self.text("out/table.csv"), before)
        process = subprocess.Popen([STICKSLIP, "sweep", ENDLESS, "--over", "simulation.step=1e-3,1e-4", "-o", "busy"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(self.path("busy/journal.txt")) and process.poll() is None:
            time.sleep(0.01)
        self.refuse("sweep", ENDLESS, "--over", "simulation.step=1e-3,1e-4", "-o", "busy", says="another run is writing")
        process.terminate()
        process.wait()

    def test_records_are_kept_where_wanted(self):
        self.run_command("sweep", "fall.yaml", "g=1,2", "--keep-records", "-o", "out")
        self.assertEqual(sorted(os.listdir(self.path("out/records"))), ["000000.h5", "000001.h5"])
        with h5py.File(self.path("out/records/000001.h5")) as record:
            self.assertAlmostEqual(record["/u"][-1, 0], -1, delta=1e-12)

    def test_json(self):
        said = json.loads(self.run_command("sweep", "fall.yaml", "g=1,2", "--over", "scheme.type=moreau,theta", "--json")[0])
        self.assertEqual({key: type(value) for key, value in said.items()},
                         {"name": str, "version": str, "folder": str, "plot": str, "trusted": int, "runs": list})
        self.assertEqual((said["name"], said["folder"], said["trusted"]), ("fall", "fall-sweep", 4))
        self.assertEqual([run["run"] for run in said["runs"]], [0, 1, 2, 3])
        for run in said["runs"]:
            self.assertEqual(set(run), {"run", "parameters", "results", "end", "steps", "events", "verdict", "reason"})
            self.assertAlmostEqual(run["results"]["stone.x'"], -0.5 * run["parameters"]["g"], delta=1e-12)
        self.assertEqual(said["runs"][1]["parameters"], {"g": 1, "scheme.type": "theta"})

    def test_what_is_refused(self):
        for words, says in (
                ([], "nothing is varied"), (["g=1"], "nothing is varied"),
                (["gg=1,2"], "no parameter 'gg'"), (["g=1:2"], "the number of values is missing"),
                (["g=1:b:3"], "an end of the range is no number"), (["g=1,b"], "a value is no number"),
                (["g=1,,2"], "a value is empty"), (["g=1:2:0"], "must be 1 … 1000000"),
                (["g=1:2:3:lin"], "only 'log'"), (["g=0:2:3:log"], "positive ends"),
                (["g=1,2", "g=3,4"], "'g' is varied already"), (["g=1,2", "g=3"], "'g' is varied already"),
                (["g=1,2", "--set", "parameters.g=3"], "'g' is varied already"),
                (["--over", "simulation.step=1e-3,1e-4", "--set", "simulation.step=1e-2"], "is varied already"),
                (["g=1,2", "--over", "solver.typ=a,b"], "unknown key 'typ'"),
                (["g=1,2", "--result", "zz"], "unknown name 'zz'"), (["g=1,2", "--result", "max:"], "expression is missing"),
                (["g=1,2", "--result", "x", "--result", "max:x", "--result", "x"], "already"),
                (["g=1,2", "--result", "g=x"], "both named 'g'"), (["g=1,2", "--sample", "all"], "grid, list or latin"),
                (["g=1,2", "--sample", "latin"], "draws from ranges"), (["g=1:2:3", "--seed", "1"], "latin only"),
                (["g=1:2:3", "--sample", "latin", "--seed", "-1"], "whole number >= 0"),
                (["g=1:2:3", "h=1:2:4", "--sample", "list"], "3, not 4"), (["g=1,2", "--jobs", "0"], "1 … 256"),
                (["g=1:2:1000", "h=1:2:1001"], "more than 1000000"), (["k=0,-1"], "must be a number > 0")):
            self.refuse("sweep", "fall.yaml", *words, "-o", "out", says=says)
        self.refuse("sweep", says="sweep needs more")
        self.assertFalse(os.path.exists(self.path("out")))


if __name__ == "__main__":
    unittest.main()
