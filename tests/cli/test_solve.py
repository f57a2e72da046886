"""Problems from files: solved, judged by an independent residual, written and dumped."""
import json
import math
import os
import unittest

import h5py

from command import BALL, SOURCE, CommandTest

PROBLEMS = os.path.join(SOURCE, "tests", "cli", "problems")
APART = os.path.join(PROBLEMS, "stick_slip_open.fcp")
COUPLED = os.path.join(PROBLEMS, "coupled.fcp")
REAL = os.environ.get("STICKSLIP_PROBLEMS", os.path.join(SOURCE, "..", "shared", "problems"))


def read_problem(path):
    with open(path) as file:
        words = file.read().split()
    d, contacts, count = map(int, words[:3])
    n, numbers = d * contacts, list(map(float, words[3:]))
    rows = [{} for _ in range(n)]
    for k in range(count):
        i, j, value = numbers[3 * k:3 * k + 3]
        rows[int(i)][int(j)] = rows[int(i)].get(int(j), 0) + value
    return d, rows, numbers[3 * count:3 * count + n], numbers[3 * count + n:]


def cone_residual(path, P):
    """||P - proj_K(P - u - mu ||u_T|| n)|| over all contacts."""
    d, W, q, mu = read_problem(path)
    u = [q_i + sum(value * P[j] for j, value in row.items()) for q_i, row in zip(q, W)]
    total = 0
    for c, mu_c in enumerate(mu):
        rows = range(d * c, d * c + d)
        a = [P[i] - u[i] for i in rows]
        a[0] -= mu_c * math.hypot(*(u[i] for i in rows[1:]))
        t = math.hypot(*a[1:])
        if t <= mu_c * a[0]:
            p = a
        elif mu_c * t <= -a[0]:
            p = [0] * d
        else:
            normal = (a[0] + mu_c * t) / (1 + mu_c ** 2)
            p = [normal] + [mu_c * normal / t * a_i for a_i in a[1:]]
        total += sum((P[i] - p_i) ** 2 for i, p_i in zip(rows, p))
    return math.sqrt(total)


class Solve(CommandTest):
    def solution(self, name):
        with open(self.path(name)) as file:
            return [float(line) for line in file]

    def solve(self, *words):
        """What --json says, and the solution."""
        out, _ = self.run_command("solve", *words, "--json", "-o", "P.txt")
        return json.loads(out), self.solution("P.txt")

    def test_contacts_apart_have_a_closed_form(self):
        # -q/W sticks inside the cone; slip against (3, 4)/5 with mu P_N; the last one is open
        expected = [0.5, -0.05, -0.1, 0.25, -0.075 * 0.6, -0.075 * 0.8, 0, 0, 0]
        for solver in ("auto", "sorprox", "exact"):
            said, P = self.solve(APART, "--solver", solver, "--tol", "1e-12")
            self.assertEqual((said["dimension"], said["contacts"], said["rows"]), (3, 3, 9))
            self.assertTrue(said["solves"][0]["solved"])
            for value, wanted in zip(P, expected, strict=True):
                self.assertAlmostEqual(value, wanted, delta=1e-11)

    def test_a_vise_has_no_solution(self):
        # a point between two walls that approach each other: W (1, 0, 1, 0) = 0, qᵀ(1, 0, 1, 0) = -2
        with open(self.path("vise.fcp"), "w") as file:
            file.write("2 2 8\n0 0 1\n0 2 -1\n2 0 -1\n2 2 1\n1 1 1\n1 3 -1\n3 1 -1\n3 3 1\n"
                       "-1 0 -1 0\n0.3 0.3\n")
        out, _ = self.run_command("solve", "vise.fcp", "--all", "--json", code=1)
        solves = json.loads(out)["solves"]
        self.assertGreater(len(solves), 10)
        self.assertFalse([s["solver"] for s in solves if s.get("solved")])
        self.assertEqual(json.loads(out)["no_solution"], ["contact 0", "contact 1"])
        _, err = self.run_command("solve", "vise.fcp", code=1)
        self.assertIn("the problem has no solution: no impulses satisfy contact 0, contact 1 together", err)

    def test_residuals_are_those_of_the_solution(self):
        said, P = self.solve(COUPLED, "--solver", "sorprox", "--tol", "1e-3")
        by_hand = cone_residual(COUPLED, P)
        self.assertGreater(by_hand, 1e-12)
        self.assertAlmostEqual(said["solves"][0]["cone_absolute"], by_hand, delta=1e-12 + 1e-9 * by_hand)
        _, P = self.solve(COUPLED, "--tol", "1e-12")
        self.assertLess(cone_residual(COUPLED, P), 1e-10)

    def test_text(self):
        out, _ = self.run_command("solve", COUPLED, "--solver", "sorprox")
        for part in ("2 contacts in 2D", "sorprox", "converged after", "relative", "absolute"):
            self.assertIn(part, out)

    def test_all_solvers_agree(self):
        said, _ = self.solve(COUPLED, "--all", "--tol", "1e-11")
        names = [solve["solver"] for solve in said["solves"]]
        self.assertIn("sorprox", names)
        self.assertIn("jorprox", names)
        solved = [solve for solve in said["solves"] if solve.get("solved")]
        self.assertGreaterEqual(len(solved), 2)
        for solve in solved:
            self.assertLess(solve["cone_absolute"], 1e-9, solve)
        out, _ = self.run_command("solve", COUPLED, "--all")
        for name in names:
            self.assertIn(f"  {name}", out)

    def test_options_of_the_solver(self):
        few, _ = self.solve(COUPLED, "--solver", "sorprox")
        many, _ = self.solve(COUPLED, "--solver", "sorprox", "--set", "relaxation=0.1")
        self.assertGreater(many["solves"][0]["iterations"], few["solves"][0]["iterations"])

    def test_what_does_not_converge_fails(self):
        out, err = self.run_command("solve", COUPLED, "--solver", "sorprox", "--max-iter", "1", "--tol", "1e-12", code=1)
        self.assertIn("iterations used up after 1 iterations", out)
        self.assertIn("did not solve the problem", err)

    def test_asymmetry(self):
        with open(self.path("a.fcp"), "w") as file:
            file.write("2 1 4\n0 0 2\n0 1 1\n1 0 0.5\n1 1 2\n-1 0\n0.3\n")
        out, _ = self.run_command("solve", "a.fcp")
        self.assertIn("asymmetric by 0.25", out)
        out, _ = self.run_command("solve", "a.fcp", "--symmetrize")
        self.assertIn("; symmetrized", out)

    def test_a_damaged_file_is_said_to_be_so(self):
        with open(self.path("damaged.fcp"), "w") as file:
            file.write("2 1 4\n0 0 3e-315\n0 1 -0.1\n1 0 -0.1\n1 1 2\n-1 0\n0.3\n")
        out, _ = self.run_command("solve", "damaged.fcp", code=1)
        self.assertIn("not positive semidefinite, by the block of contact 0", out)
        said = json.loads(self.run_command("solve", "damaged.fcp", "--json", code=1)[0])
        self.assertEqual(said["indefinite_contact"], 0)

    def test_auto_says_what_it_did(self):
        out, _ = self.run_command("solve", COUPLED)
        self.assertRegex(out, r"solver +auto: exact [0-9]+")
        said, _ = self.solve(COUPLED)
        self.assertRegex(said["solves"][0]["method"], r"^exact [0-9]+")

    def test_the_tolerance_bounds_both_residuals(self):
        said, _ = self.solve(COUPLED, "--tol", "1e-9")
        self.assertLessEqual(said["solves"][0]["residual"], 1e-9)
        self.assertLessEqual(said["solves"][0]["cone_to_load"], 1e-9)

    def test_what_is_refused(self):
        with open(self.path("bad.fcp"), "w") as file:
            file.write("3 1 1\n0 0 x\n")
        self.refuse("solve", says="solve needs more")
        self.refuse("solve", "missing.fcp", says="missing.fcp")
        self.refuse("solve", "bad.fcp", says="bad.fcp")
        self.refuse("solve", COUPLED, "--solver", "sorprx", says="sorprox")
        self.refuse("solve", COUPLED, "--solver", "sorprox", "--all", says="exclude each other")
        self.refuse("solve", COUPLED, "--solver", "sorprox", "--set", "relaxatoin=1", says="did you mean 'relaxation'")
        self.refuse("solve", COUPLED, "--set", "relaxation", says="KEY=VALUE")
        self.refuse("solve", COUPLED, "--tol", "0", says="--tol is '0'")
        self.refuse("solve", COUPLED, "--max-iter", "many", says="--max-iter is 'many'")
        self.refuse("solve", COUPLED, "-o", "/proc/P.txt", says="/proc/P.txt", code=1)

    @unittest.skipUnless(os.path.isdir(REAL), "no collection of problems")
    def test_real_problems(self):
        for name in ("Rover9770.fcp", "NESpheres_30_1.fcp", "Confeti-ex13-Fc3D-SBM.fcp"):
            path = os.path.join(REAL, name)
            said, P = self.solve(path)
            by_hand = cone_residual(path, P)
            self.assertAlmostEqual(said["solves"][0]["cone_absolute"], by_hand, delta=1e-6 * by_hand + 1e-9)
            self.assertLess(said["solves"][0]["cone_relative"], 1e-7)


class Dump(CommandTest):
    def test_inclusions_of_a_run(self):
        out, _ = self.run_command("run", BALL, "--no-plots", "--dump-inclusions", "every=100", "-o", "a.h5")
        files = sorted(os.listdir(self.path("a-inclusions")))
        self.assertIn(f"{len(files)} in a-inclusions/", out)
        self.assertEqual(files[-1], "00001500.hdf5")
        last = f"a-inclusions/{files[-1]}"
        out, _ = self.run_command("solve", last, "--json", "--tol", "1e-12", "-o", "P.txt")
        self.assertEqual(json.loads(out)["contacts"], 1)
        with open(self.path("P.txt")) as file:
            P = [float(line) for line in file]
        # the ball lies at rest: m g dt, nothing across
        self.assertAlmostEqual(P[0], 2 * 9.81 * 1e-3, delta=1e-9)
        self.assertAlmostEqual(P[1], 0, delta=1e-9)
        with h5py.File(self.path(last)) as problem:
            self.assertIn("fclib_local", problem)

    def test_contacts_of_shapes(self):
        # boxes on each other, a scheme that solves twice a step; balls, which have a form of their own otherwise
        for scene, contacts in (("stack", 4), ("billiard", 1)):
            with self.subTest(scene=scene):
                path = os.path.join(SOURCE, "scenes", scene + ".yaml")
                self.run_command("run", path, "--no-plots", "--dump-inclusions", "every=5",
                                 "--set", "simulation.end=0.05", "-o", scene + ".h5")
                files = sorted(os.listdir(self.path(scene + "-inclusions")))
                self.assertTrue(files)
                out, _ = self.run_command("solve", f"{scene}-inclusions/{files[0]}", "--json")
                self.assertGreaterEqual(json.loads(out)["contacts"], contacts)

    def test_dumping_changes_nothing(self):
        """Rows of shapes are swept in forms of their own, watched or not: the same bytes."""
        scene = os.path.join(SOURCE, "scenes", "closed_box.yaml")
        run = ("run", scene, "--no-plots", "-q", "--set", "simulation.end=0.05")
        self.run_command(*run, "-o", "alone.h5")
        self.run_command(*run, "-o", "watched.h5", "--dump-inclusions", "every=7")
        self.run_command(*run, "-o", "seldom.h5", "--dump-inclusions", "every=100000")
        columns = [self.run_command("export", name, "--csv")[0] for name in ("alone.h5", "watched.h5", "seldom.h5")]
        self.assertGreater(len(columns[0]), 1000)
        self.assertEqual(columns[0], columns[1])
        self.assertEqual(columns[0], columns[2])

    def test_what_is_refused(self):
        for text in ("every=0", "every=-1", "10", "every=2x", "each=2", ""):
            self.refuse("run", BALL, "--dump-inclusions", text, says="must be every=N")
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
