"""Runs: what they print, what they leave, what they exit with."""
import os
import pty
import subprocess
import unittest

import h5py
import numpy as np

from command import BALL, ENDLESS, STICKSLIP, CommandTest


class Output(CommandTest):
    def test_summary(self):
        out, err = self.run_command("run", BALL)
        self.assertEqual(err, "")
        for part in ["t = 1.5 s after 1500 steps", "ball.x", "ball.y'", "switches", "kinetic", "potential",
                     "dissipated", "work of loads", "balance error", "worst residual",
                     "no accepted solve failed", "ball.h5 (1501 states", "3 in ball/"]:
            self.assertIn(part, out)

    def test_files(self):
        self.run_command("run", BALL, "--quiet")
        self.assertEqual(sorted(os.listdir(self.folder)), ["ball", "ball.h5"])
        self.assertEqual(sorted(os.listdir(self.path("ball"))), ["all.svg", "height.svg", "phase.svg"])
        self.run_command("run", BALL, "-q", "-o", "deep/er/x.h5", "--format", "png")
        self.assertEqual(sorted(os.listdir(self.path("deep/er"))), ["x", "x.h5"])
        self.assertEqual(sorted(os.listdir(self.path("deep/er/x"))), ["all.png", "height.png", "phase.png"])
        self.run_command("run", BALL, "-q", "-o", "folder", "--no-plots")
        self.assertEqual(os.listdir(self.path("folder")), ["ball.h5"])

    def test_quiet_says_nothing(self):
        self.assertEqual(self.run_command("run", BALL, "-q"), ("", ""))

    def test_same_bytes_twice_and_with_two_threads(self):
        self.run_command("run", BALL, "-q", "-o", "a.h5", "--no-plots")
        self.run_command("run", BALL, "-q", "-o", "b.h5", "--no-plots", "--threads", "2")
        with open(self.path("a.h5"), "rb") as a, open(self.path("b.h5"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_parameters_and_settings(self):
        self.run_command("run", BALL, "height=2*0.4", "--set", "simulation.end=0.5", "-q", "--no-plots",
                         "--set", "record.every=100")
        with h5py.File(self.path("ball.h5")) as f:
            self.assertEqual(f["q"][0, 1], 0.8)
            self.assertEqual(list(f["time"][:].round(9)), [0, 0.1, 0.2, 0.3, 0.4, 0.5])

    def test_a_record_can_be_run_again(self):
        self.run_command("run", BALL, "mu=0.1", "-q", "--no-plots", "-o", "a.h5")
        scene, _ = self.run_command("info", "a.h5", "--scene")
        with open(self.path("again.yaml"), "w") as file:
            file.write(scene)
        self.run_command("run", "again.yaml", "-q", "--no-plots", "-o", "b.h5")
        with h5py.File(self.path("a.h5")) as a, h5py.File(self.path("b.h5")) as b:
            self.assertEqual(a["q"][:].tobytes(), b["q"][:].tobytes())


class Progress(CommandTest):
    def test_none_in_a_pipe(self):
        _, err = self.run_command("run", BALL, "--set", "simulation.step=1e-5", "--no-plots")
        self.assertEqual(err, "")

    def run_on_terminal(self, *words):
        """What appears on a terminal that is connected to standard error."""
        main, side = pty.openpty()
        process = subprocess.Popen([STICKSLIP, "run", ENDLESS, "--no-plots", *words], cwd=self.folder, stderr=side,
                                   stdout=subprocess.DEVNULL)
        os.close(side)
        shown = b""
        while b"left" not in shown and process.poll() is None and len(shown) < 100000 and not words:
            shown += os.read(main, 1000)
        if words:
            try:
                process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                pass
        process.terminate()
        process.wait(timeout=60)
        try:
            while chunk := os.read(main, 1000):
                shown += chunk
        except OSError:
            pass
        os.close(main)
        return shown.decode(errors="replace")

    def test_time_left_on_a_terminal(self):
        self.assertRegex(self.run_on_terminal(), "\r.* % +t = .* left")

    def test_none_when_quiet(self):
        self.assertNotIn("left", self.run_on_terminal("--quiet"))


class Failures(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def test_a_run_that_does_not_converge(self):
        out, err = self.run_command("run", BALL, "--set", "solver.max_iterations=1", "--set",
                                    "solver.tolerance=1e-15", "--set", "solver.relaxation=0.5", code=1)
        self.assertIn("did not converge", err)
        self.assertIn("the run did not reach its end: t = ", out)
        with h5py.File(self.path("ball.h5")) as f:
            self.assertIn(b"did not converge", f.attrs["note"])
            self.assertEqual(f["checkpoint"].attrs["finished"], 0)
            t = f["time"][-1]
            self.assertAlmostEqual(t, (2 * 0.3 / 9.81) ** 0.5, delta=2e-3)  # where it first hits the floor
        self.assertTrue(os.path.exists(self.path("ball/height.svg")))

    def test_going_on_with_warnings(self):
        out, err = self.run_command("run", BALL, "--set", "solver.max_iterations=1", "--set",
                                    "solver.tolerance=1e-15", "--set", "solver.relaxation=0.5", "--set",
                                    "simulation.on_failure=warn", "--no-plots", code=1)
        *lines, last = err.splitlines()
        self.assertRegex(last, r"^stickslip: not trusted: convergence: \d+ steps accepted that did not converge")
        self.assertEqual(len(lines), 11)
        self.assertTrue(all(line.startswith("stickslip: warning: ") for line in lines))
        self.assertIn("further warnings are not shown", lines[-1])
        self.assertRegex(out, r"\d+ solves did NOT converge")

    def test_a_ball_that_is_squeezed(self):
        # A sphere that is driven towards the floor leaves the ball no room: no solver may say that it solved that.
        self.write("squeeze.yaml", """
            name: squeeze
            systems:
              ball: {type: body, mass: 1, inertia: 0.004, position: [0, 0, 0.1]}
              press: {type: body, motion: [0, 0, 0.3 - 0.1*t]}
            shapes:
              floor: {type: plane}
              round: {type: sphere, on: ball, radius: 0.1}
              stamp: {type: sphere, on: press, radius: 0.1}
            elements:
              dry: {type: contact, laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.3}}}
            forces:
              weight: {type: gravity, acceleration: [0, 0, -9.81]}
            simulation: {type: constant, step: 1e-3, end: 0.01}
            """)
        for solver in (), ("--set", "solver.type=auto"), ("--set", "solver.type=interior"):
            _, err = self.run_command("run", "squeeze.yaml", *solver, code=1)
            self.assertIn("there is no solution: no impulses satisfy 'dry.gap of floor and round', "
                          "'dry.gap of round and stamp' together", err)

    def test_a_joint_between_driven_bodies_that_part(self):
        self.write("part.yaml", """
            name: part
            systems:
              a: {type: body, motion: [0, 0, 0]}
              b: {type: body, motion: [t, 0, 0]}
            elements:
              weld: {type: fixed, system: a, to: b}
            simulation: {type: constant, step: 1e-3, end: 0.01}
            """)
        for solver in "sorprox", "auto", "exact":
            _, err = self.run_command("run", "part.yaml", "--set", f"solver.type={solver}", code=1)
            self.assertRegex(err, "did not converge.*worst law 'weld.gap.1'; there is no solution: no impulse satisfies "
                                  "'weld.gap.1'. One of them must give way")

    def test_a_number_that_is_not_finite(self):
        self.write("nan.yaml", """
            name: nan
            systems:
              mass: {type: lagrange, coordinates: [x], kinetic: 0.5*x'^2, forces: [sqrt(1 - t)], position: [0],
                     velocity: [0]}
            simulation: {type: constant, step: 0.125, end: 10}
            """)
        out, err = self.run_command("run", "nan.yaml", code=1)
        self.assertIn("finite", err)
        with h5py.File(self.path("nan.h5")) as f:
            self.assertTrue(np.isfinite(f["q"][:]).all())
            self.assertEqual(f["time"][-1], 1)

    def test_an_old_record_stays_when_a_scene_is_bad(self):
        self.run_command("run", BALL, "-q", "--no-plots")
        before = os.stat(self.path("ball.h5"))
        self.refuse("run", BALL, "mu=oops", says="oops")
        self.assertEqual(os.stat(self.path("ball.h5")), before)

    def test_an_old_record_stays_when_a_run_is_refused(self):
        self.run_command("run", BALL, "-q", "--no-plots")
        with open(self.path("ball.h5"), "rb") as file:
            before = file.read()
        refusals = [
            (["scheme.type=theta"], "the scheme 'theta' cannot be used here: law 'floor.gap' has restitution"),
            (["scheme.type=general", "scheme.laws=acceleration"], "impacts do not exist on acceleration level"),
            (["scheme.implicit=true", "solver.type=exact"],
             "element 'floor' cannot be solved: solver 'exact': it cannot follow velocities that are refreshed"),
        ]
        for settings, says in refusals:
            words = [word for setting in settings for word in ("--set", setting)]
            self.refuse("run", BALL, *words, says=says)
            self.assertEqual(os.listdir(self.folder), ["ball.h5"])
            with open(self.path("ball.h5"), "rb") as file:
                self.assertEqual(file.read(), before)

    def test_an_old_record_stays_when_the_first_step_is_refused(self):
        self.write("beam.yaml", """
            name: beam
            systems: {beam: {type: point, dim: 2, mass: 1}}
            elements:
              left: {type: plane, system: beam, normal: [0, 1], laws: {gap: {type: unilateral}}}
              right: {type: plane, system: beam, normal: [0, 2], laws: {gap: {type: unilateral}}}
            forces: {weight: {type: gravity, acceleration: [0, -9.81]}}
            simulation: {type: constant, step: 0.001, end: 0.01}
            """)
        self.run_command("run", "beam.yaml", "-q", "--no-plots")
        with open(self.path("beam.h5"), "rb") as file:
            before = file.read()
        self.refuse("run", "beam.yaml", "--set", "solver.type=gamma", says="G of 2 rows is singular")
        self.assertEqual(sorted(os.listdir(self.folder)), ["beam.h5", "beam.yaml"])
        with open(self.path("beam.h5"), "rb") as file:
            self.assertEqual(file.read(), before)


if __name__ == "__main__":
    unittest.main()
