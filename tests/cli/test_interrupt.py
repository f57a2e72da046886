"""Ctrl-C and TERM: what is left, and how it goes on. test_crash.py: runs that are killed."""
import os
import signal
import subprocess
import time
import unittest

import h5py
import numpy as np

from command import BALL, ENDLESS, SOURCE, STICKSLIP, CommandTest


def datasets(path):
    """Every dataset of a record as bytes."""
    found = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, o: found.update({name: np.asarray(o[()]).tobytes()})
                     if isinstance(o, h5py.Dataset) else None)
    return found


class Interrupted(CommandTest):
    def start(self, *words):
        return subprocess.Popen([STICKSLIP, *words], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def interrupt(self, number, *words):
        """Sends a signal in mid-run; returns exit code, output and messages."""
        process = self.start(*words)
        while not any(".part-" in name for name in os.listdir(self.folder)) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return process.returncode, out.decode(), err.decode()

    def check_record(self, name):
        with h5py.File(self.path(name)) as f:
            t = f["time"][:]
            self.assertGreater(len(t), 2)
            self.assertTrue((np.diff(t) > 0).all())
            for data in ("q", "u", "mode", "energy/kinetic", "solver/residual"):
                self.assertEqual(len(f[data]), len(t))
            self.assertEqual(f["checkpoint"].attrs["finished"], 0)
            self.assertEqual(f.attrs["note"], b"interrupted")
            return t[-1]

    def test_signals_leave_a_valid_record(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            returned, out, err = self.interrupt(number, "run", ENDLESS)
            self.assertEqual(returned, code, err)
            self.assertTrue(err.startswith("stickslip: interrupted at t = "), err)
            self.assertIn("`stickslip resume endless.h5` continues it", out)
            self.check_record("endless.h5")
            self.assertEqual(sorted(os.listdir(self.folder)), ["endless", "endless.h5"])
            self.assertEqual(len(os.listdir(self.path("endless"))), 3)

    def test_timeout_leaves_a_valid_record(self):
        """`timeout` signals the process and its group: two TERM at once."""
        for _ in range(3):
            done = subprocess.run(["timeout", "2", STICKSLIP, "run", ENDLESS, "--no-plots"], cwd=self.folder,
                                  capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 124, done.stderr)
            self.check_record("endless.h5")
            os.remove(self.path("endless.h5"))

    def test_resumed_runs_are_the_same_as_whole_ones(self):
        self.assertEqual(self.interrupt(signal.SIGINT, "run", ENDLESS, "--no-plots")[0], 130)
        self.assertEqual(self.interrupt(signal.SIGINT, "resume", "endless.h5", "--no-plots")[0], 130)
        t = self.check_record("endless.h5")
        end = f"{t + 1:.3f}"
        self.run_command("resume", "endless.h5", "--until", end, "--quiet")
        self.run_command("run", ENDLESS, "--set", f"simulation.end={end}", "-o", "whole.h5", "--quiet")
        self.assertEqual(datasets(self.path("endless.h5")), datasets(self.path("whole.h5")))
        self.assertEqual(sorted(os.listdir(self.path("endless"))), ["all.svg", "height.svg", "phase.svg"])

    def test_a_long_solve_is_interrupted(self):
        """Solves that never end: TERM ends them within a second, and the run goes on from the step before."""
        heap = os.path.join(SOURCE, "scenes", "heap.yaml")
        for solver in ("sorprox", "jorprox", "admm", "uzawa", "gamma"):
            process = self.start("run", heap, "--no-plots", "-o", f"{solver}.h5", "--set", f"solver.type={solver}",
                                 "--set", "solver.tolerance=1e-300", "--set", "solver.max_iterations=1000000000")
            while process.poll() is None and not any(f"{solver}.h5.part-" in name for name in os.listdir(self.folder)):
                time.sleep(0.01)
            time.sleep(1)
            self.assertIsNone(process.poll(), solver)
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=60)
            self.assertLess(time.monotonic() - began, 3, solver) # one, on a machine that does nothing else
            self.assertEqual(process.returncode, 143, err)
            with h5py.File(self.path(f"{solver}.h5")) as f:
                self.assertEqual(f.attrs["note"], b"interrupted")
                self.assertGreaterEqual(len(f["time"]), 1)

    def test_a_finished_run_has_nothing_left(self):
        self.run_command("run", BALL, "-q", "--no-plots")
        before = os.stat(self.path("ball.h5"))
        out, _ = self.run_command("resume", "ball.h5")
        self.assertIn("has reached its end, t = 1.5 s", out)
        self.assertEqual(os.stat(self.path("ball.h5")), before)

    def test_resuming_elsewhere_keeps_the_record(self):
        self.run_command("run", BALL, "-q", "--no-plots")
        before = os.stat(self.path("ball.h5"))
        self.run_command("resume", "ball.h5", "--until", "2", "-o", "sub/longer.h5", "--no-plots")
        self.assertEqual(os.stat(self.path("ball.h5")), before)
        with h5py.File(self.path("sub/longer.h5")) as f:
            self.assertAlmostEqual(f["time"][-1], 2)

    def test_bad_times_are_refused(self):
        self.run_command("run", BALL, "-q", "--no-plots")
        self.refuse("resume", "ball.h5", "--until", "soon", says="soon")


if __name__ == "__main__":
    unittest.main()
