"""Every key of solvers, schemes and simulations changes something that can be seen, or is refused."""
import json
import os
import subprocess
import unittest

from command import SOURCE, STICKSLIP, CommandTest

SCENES = os.path.join(SOURCE, "scenes")
STEPS = """
simulation: {step: 5e-3, end: 0.2}
"""
MASS = """systems:
  a: {type: lagrange, coordinates: [x, y], kinetic: "0.5*(1+x^2)*x'^2 + 0.5*(2+sin(x))*y'^2", potential: "20*x^2 + 3*x*y + 9.81*y",
      forces: ["-0.3*x'*y'", "sin(3*t) - 0.4*y'"], position: [0.3, 0.02], velocity: [1.2, -1.5]}
elements:
"""
FLOOR = """  f: {{type: expression, gap: "y + 0.1*x^2 - {depth}", slip: "x' + 0.2*x*y'",
      laws: {{gap: {{type: unilateral, restitution: {epsilon}}}, slip: {{type: friction, mu: 0.2}}}}}}
"""
ROD = """  c: {type: expression, gap: "x + 0.3*y + 0.1*x*y - 0.306", laws: {gap: {type: bilateral}}}
"""
# Where keys of schemes matter: contacts, impacts, constraints, penetration, and impacts in large steps.
MODELS = {
    "contact": MASS + FLOOR.format(depth=0, epsilon=0) + STEPS,
    "elastic": MASS + FLOOR.format(depth=0, epsilon=0.5) + STEPS,
    "constraint": MASS + ROD + STEPS,
    "deep": MASS + FLOOR.format(depth=0.1, epsilon=0) + STEPS,
    "deep_elastic": MASS + FLOOR.format(depth=0.1, epsilon=0.4) + STEPS,
    "slow": MASS + FLOOR.format(depth=0, epsilon=0.6) + "simulation: {step: 5e-2, end: 2}\n",
}
# Other values than the default, and the other keys that they go with.
SCHEMES = {
    "implicit": ["true"], "impact": ["poisson"], "theta": ["0.8"], "laws": None, "clamp": ["true", "false"], "heun": ["true"],
    "alpha": ["0.8", "0.3"], "beta": ["0.7", "0.9"], "iterations": ["1"], "tolerance": ["1e-2"], "stabilize": ["false"],
    "impacts": ["0"], "rest_speed": ["5"], "reach": ["0.01"], "delta_a": ["0.05"], "delta_b": ["1e4"], "transitions": ["false"],
    "penetration": ["0.005"], "rho": ["0.3"], "mass_at": ["0.2"], "laws_at": ["0.2"], "gap_at": ["0.3"], "h_at": ["0.2"],
    "shift": ["0.6"], "split": ["true"], "baumgarte": ["3"]}
# Values of some keys beside which all others are tried.
BESIDE = {
    "general": [{"laws": laws, "beta": beta} for laws in ("velocity", "displacement", "acceleration", "gap") for beta in ("0", "0.5")]
    + [{"laws": "average", "beta": "0.5"}],
    "theta": [{"laws": laws} for laws in ("velocity", "displacement", "mixed")],
    "moreau": [{}, {"impact": "poisson"}], "potra": [{}, {"impacts": "0"}], "gavrea": [{}, {"impacts": "0"}],
    "anitescu_potra_1997": [{}, {"impacts": "0"}]}
SOLVERS = {
    "tolerance": ["1e-3"], "max_iterations": ["1"], "min_iterations": ["40"], "relaxation": ["0.7"], "r": ["row_sum"],
    "r_scale": ["0.5"], "stop": ["impulse", "velocity"], "absolute": ["1e-2"], "relative": ["1e-1"], "warm_start": ["false"],
    "order": ["backward", "symmetric"], "measure": ["cone"], "acceleration": ["0"], "line_search": ["false"],
    "regularization": ["0"], "proximal": ["false"], "alpha": ["0.01"], "shrink": ["1"], "facets": ["4"], "disk": ["false"],
    "crossover": ["false"], "forces": ["minimum_norm", "regularized"], "compliance": ["1e3"]}
GOES_WITH = {"absolute": {"stop": "impulse"}, "relative": {"stop": "impulse"}, "compliance": {"forces": "regularized"}}
# Keys that these scenes do not show: one below, those of forces where a solver reaches none of the scenes with many, or where
# there is but one; the tolerance of a direct method, which decides only whether its solution is accepted.
EXEMPT = {("interior", "crossover"), ("jorprox", "forces"), ("gamma", "forces"), ("funk", "tolerance")}
# Scenes and their ends, the next one where the one before does not show a key.
ELSEWHERE = [("block", "0.02"), ("table", "0.3"), ("woodpecker", "0.15"), ("card_house", "0.01"), ("arch", "0.02")]


class Keys(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.types = json.loads(subprocess.run([STICKSLIP, "schema"], capture_output=True, check=True).stdout)["$defs"]

    def setUp(self):
        super().setUp()
        self.seen = {}
        for name, text in MODELS.items():
            with open(self.path(name + ".yaml"), "w") as file:
                file.write(text)

    def outcome(self, scene, settings):
        """Exit status, messages and record of a run, as text."""
        key = scene, tuple(settings)
        if key not in self.seen:
            arguments = [part for s in settings for part in ("--set", s)]
            done = subprocess.run([STICKSLIP, "run", scene, *arguments, "-o", self.path("o.h5"), "--no-plots"],
                                  capture_output=True, text=True, timeout=60)
            record = ""
            if done.returncode != 2:
                record = subprocess.run([STICKSLIP, "export", self.path("o.h5")], capture_output=True, text=True).stdout
                os.remove(self.path("o.h5"))
            self.seen[key] = done.returncode, done.stderr, record
        return self.seen[key]

    def check(self, places, settings, setting):
        """A key does something in one of the places, or is refused as one that does nothing."""
        for scene, more in places:
            old, new = self.outcome(scene, settings + more), self.outcome(scene, [*settings, *more, setting])
            if old[0] == 2 and new[0] == 2:
                continue
            if new != old:
                return
        self.fail(f"{settings} {setting}: nothing changes")

    def keys(self, kind):
        for name, about in self.types.items():
            if name.startswith(kind + "_"):
                yield name[len(kind) + 1:], [key for key in about["properties"] if key != "type"]

    def test_schemes(self):
        places = [(self.path(name + ".yaml"), []) for name in MODELS]
        for scheme, keys in self.keys("scheme"):
            for beside in BESIDE.get(scheme, [{}]):
                settings = [f"scheme.type={scheme}"] + [f"scheme.{k}={v}" for k, v in beside.items()]
                for key in keys:
                    self.assertIn(key, SCHEMES, f"{scheme}: say what changes with a new key")
                    if key in beside or SCHEMES[key] is None:
                        continue
                    with self.subTest(scheme=scheme, key=key, beside=beside):
                        for attempt, value in enumerate(SCHEMES[key]):
                            try:
                                self.check(places, settings, f"scheme.{key}={value}")
                                break
                            except AssertionError:
                                if attempt + 1 == len(SCHEMES[key]):
                                    raise

    def test_solvers(self):
        for solver, keys in self.keys("solver"):
            for key in keys:
                self.assertIn(key, SOLVERS, f"{solver}: say what changes with a new key")
                settings = [f"solver.type={solver}"] + [f"solver.{k}={v}" for k, v in GOES_WITH.get(key, {}).items()]
                for value in SOLVERS[key]:
                    if (solver, key) in EXEMPT:
                        continue
                    with self.subTest(solver=solver, key=key, value=value):
                        places = [(os.path.join(SCENES, name + ".yaml"), [f"simulation.end={end}"]) for name, end in ELSEWHERE]
                        self.check(places, settings, f"solver.{key}={value}")

    def test_problems(self):
        """The last digits come from Newton's method, whose steps are shortened or not."""
        spheres = os.path.join(SOURCE, "tests", "solver", "problems", "spheres.fcp")
        self.run_command("solve", spheres, "--solver", "interior", "--set", "tolerance=1e-15")
        self.run_command("solve", spheres, "--solver", "interior", "--set", "tolerance=1e-15", "--set", "crossover=false", code=1)
        steps = [json.loads(self.run_command("solve", spheres, "--json", "--solver", "alart_curnier", "--set", f"line_search={x}")[0])
                 ["solves"][0]["iterations"] for x in ("true", "false")]
        self.assertNotEqual(*steps)

    def test_keys_that_do_nothing(self):
        floor = MASS + FLOOR.format(depth=0, epsilon=0)
        for text, says in (
                (floor.replace("type: unilateral,", "type: unilateral, r: 0.5,") + "solver: {type: exact}" + STEPS, "'r' does nothing"),
                (floor.replace("type: unilateral,", "type: unilateral, rigidity: 5,") + STEPS, "'rigidity' does nothing"),
                (floor + "simulation: {type: augmented, step_max: 1e-2, step_min: 1e-5, end: 1, on_failure: shrink}\n", "shrink' does nothing"),
                (floor + "simulation: {type: event_driven, output: 1e-2, end: 1, on_failure: shrink}\n", "shrink' does nothing"),
                (floor + "solver: {type: auto, forces: weighted}\nsimulation: {type: event_driven, output: 1e-2, end: 1}\n", "forces of least norm"),
                (floor + "record: {contacts: none, contacts_every: 2}" + STEPS, "'contacts_every' does nothing"),
                (floor + '  s: {type: expression, gap: x, laws: {gap: {type: spring_damper, damping: 1, rest: 2}}}' + STEPS, "'rest' does nothing"),
                ("systems: {a: {type: linear, coordinates: [x], mass: [1], rest: [1]}}" + STEPS, "'rest' does nothing"),
                (floor + "scheme: {type: potra, impacts: 0, rest_speed: 1}" + STEPS, "'rest_speed' does nothing"),
                (floor + "solver: {type: lemke, warm_start: false}" + STEPS, "unknown key 'warm_start'")):
            with open(self.path("nothing.yaml"), "w") as file:
                file.write(text)
            with self.subTest(says=says):
                self.refuse("check", self.path("nothing.yaml"), says=says)


if __name__ == "__main__":
    unittest.main()
