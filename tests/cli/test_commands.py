"""Help, versions, and input that is refused."""
import json
import subprocess
import unittest

from command import BALL, STICKSLIP, CommandTest

COMMANDS = ["run", "resume", "check", "info", "plot", "compare", "convergence", "solve", "export", "list", "schema",
            "completion"]


class Help(CommandTest):
    def test_overview_names_every_command(self):
        out, _ = self.run_command("--help")
        for command in COMMANDS:
            self.assertIn(f"  {command} ", out)

    def test_every_command_has_help_with_examples(self):
        for command in COMMANDS:
            out, err = self.run_command(command, "--help")
            self.assertTrue(out.startswith(f"usage: stickslip {command} "), out)
            self.assertIn(f"  stickslip {command}", out.split("examples:")[1])
            self.assertEqual(err, "")
            self.assertEqual(self.run_command("help", command)[0], out)

    def test_version(self):
        out, _ = self.run_command("--version")
        self.assertRegex(out, r"^stickslip \d+\.\d+\.\d+\n$")

    def test_nothing_given(self):
        done = subprocess.run([STICKSLIP], capture_output=True)
        self.assertEqual(done.returncode, 2)


class Ignored(CommandTest):
    """Keys that another key makes ineffective."""
    KEYS = [
        ("scheme", "general", ["gap_at=0", "shift=0.5", "clamp=true", "split=true", "baumgarte=1"], []),
        ("scheme", "general", ["h_at=0"], ["beta=0.5"]),
        ("scheme", "theta", ["clamp=false"], ["laws=velocity"]),
        ("simulation", "augmented",
         ["order_max=4", "absolute_q=1e-6", "relative_q=1e-6", "absolute_u=1e-6", "relative_u=1e-6"],
         ["order=3", "step_max=1e-2", "step_min=1e-6"]),
        ("simulation", "augmented", ["K_t=1"], ["step_max=1e-2"]),
        ("simulation", "augmented", ["substeps=odd"], ["order=1", "step_max=1e-2", "step_min=1e-6"]),
        ("solver", "sorprox", ["absolute=1e-9", "relative=1e-9", "compliance=1e-3"], []),
    ]

    def test_are_refused(self):
        for section, name, keys, others in self.KEYS:
            sets = [f"{section}.type={name}"] + [f"{section}.{other}" for other in others]
            for key in keys:
                arguments = [a for s in [*sets, f"{section}.{key}"] for a in ("--set", s)]
                with self.subTest(name=name, key=key):
                    self.refuse("check", BALL, *arguments, says=f"'{key.split('=')[0]}' does nothing here")


class Start(CommandTest):
    """Scenes whose laws do not hold where they start."""
    SCENE = """systems: {{ball: {{type: point, dim: 2, mass: 1, position: [0, {y}]}}}}
elements:
  floor: {{type: plane, system: ball, normal: [0, 1], laws: {{gap: {{type: unilateral}}}}}}
  rod: {{type: distance, system: ball, to_point: [1, {y}], length: {length}, laws: {{gap: {{type: bilateral}}}}}}
simulation: {{type: constant, step: 1e-3, end: 2e-3}}
"""

    def warnings(self, y, length):
        with open(self.path("start.yaml"), "w") as file:
            file.write(self.SCENE.format(y=y, length=length))
        return self.run_command("check", self.path("start.yaml"))[1]

    def test_is_judged(self):
        self.assertEqual(self.warnings(0.3, 1), "")
        self.assertRegex(self.warnings(-0.3, 1), r"start.yaml:3:\d+: law 'floor.gap': it penetrates by 0.3 at the start")
        self.assertRegex(self.warnings(0.3, 0.8),
                         r"start.yaml:4:\d+: law 'rod.gap': the constraint does not hold, its gap is 0.2 at the start")


    def check(self, text):
        with open(self.path("start.yaml"), "w") as file:
            file.write(text)
        return self.run_command("check", self.path("start.yaml"))[1]

    def test_stops_and_shapes(self):
        said = self.check("""systems: {a: {type: point, dim: 1, mass: 1, position: 2}}
elements:
  rail: {type: expression, gap: x, laws: {gap: {type: stop, lower: -1, upper: 1.5}}}
simulation: {step: 1e-3, end: 1}
""")
        self.assertRegex(said, r"start.yaml:3:\d+: law 'rail.gap': it penetrates by 0.5 at the start")
        for sort in ("constant, step: 1e-3", "event_driven, output: 0.1", "augmented, step_max: 1e-2, step_min: 1e-5"):
            for z, said in ((-50, r"start.yaml:3:\d+: shape 'ground' and shape 'ball' penetrate each other by 51 m"), (1, "^$")):
                self.assertRegex(self.check(f"""systems: {{b: {{type: body, mass: 1, inertia: 0.4, position: [0, 0, {z}]}}}}
shapes:
  ball: {{type: sphere, radius: 1, on: b}}
  ground: {{type: plane}}
elements: {{rule: {{type: contact, laws: {{gap: {{type: unilateral}}}}}}}}
simulation: {{type: {sort}, end: 1}}
"""), said)

    def test_constraints_beside_contacts(self):
        for sort in ("constant, step: 1e-3", "event_driven, output: 0.1", "augmented, step_max: 1e-2, step_min: 1e-5"):
            self.assertRegex(self.check(f"""systems: {{b: {{type: body, mass: 1, inertia: 0.4, position: [0, 0, 2]}}}}
shapes:
  ball: {{type: sphere, radius: 1, on: b}}
  ground: {{type: plane}}
elements:
  rule: {{type: contact, laws: {{gap: {{type: unilateral}}}}}}
  rod: {{type: distance, system: b, to_point: [0, 0, 5], length: 2, laws: {{gap: {{type: bilateral}}}}}}
simulation: {{type: {sort}, end: 1}}
"""), r"start.yaml:7:\d+: law 'rod.gap': the constraint does not hold, its gap is 1 at the start")

    def test_constraints_that_contradict(self):
        head = "systems: {a: {type: point, dim: 2, mass: 1, position: [1, 0]}}\nelements:\n"
        tail = "simulation: {step: 1e-3, end: 1}\n"
        rod = "  {}: {{type: distance, system: a, to_point: [{}, 0], length: {}, laws: {{gap: {{type: bilateral}}}}}}\n"
        row = "  {}: {{type: expression, slip: \"{}\", laws: {{slip: {{type: {}}}}}}}\n"
        two = self.check(head + rod.format("r", 0, 1) + rod.format("s", 0, 1.5) + tail)
        self.assertRegex(two, r"start.yaml:4:\d+: law 's.gap': it contradicts law 'r.gap': no positions nearby obey both")
        self.assertEqual(self.check(head + rod.format("r", 0, 1) + rod.format("s", 2, 1) + tail), "")
        two = self.check(head + row.format("r", "x'", "bilateral") + row.format("s", "x'", "motor, speed: 2") + tail)
        self.assertRegex(two, r"start.yaml:4:\d+: law 's.slip': it contradicts law 'r.slip': no velocities obey both")
        self.assertEqual(self.check(head + row.format("r", "x'", "bilateral") + row.format("s", "x'", "motor, speed: 2, limit: 5") + tail), "")
        self.assertEqual(self.check(head + row.format("r", "x'", "bilateral") + row.format("s", "y'", "motor, speed: 2") + tail), "")

    def test_velocities_and_what_is_driven(self):
        moving = self.check("""systems: {a: {type: point, dim: 2, mass: 1, position: [1, 0], velocity: [1, 3]}}
elements: {r: {type: distance, system: a, to_point: [0, 0], length: 1, laws: {gap: {type: bilateral}}}}
simulation: {step: 1e-3, end: 1}
""")
        self.assertIn("law 'r.gap': its relative velocity is 1 at the start, which the first step takes away", moving)
        self.assertIn("no impulse can change it: what it joins is fixed or driven", self.check("""systems:
  a: {type: body, mass: 1, inertia: 1, motion: [t, 0, 0]}
  b: {type: body, mass: 1, inertia: 1, motion: [-t, 0, 0]}
elements: {j: {type: spherical, system: a, to: b, at: [0, 0, 0]}}
simulation: {step: 1e-3, end: 1}
"""))


class Refused(CommandTest):
    def test_commands(self):
        self.refuse("rum", says="there is no command 'rum'; did you mean 'run'?")
        self.refuse("xyzzy", says="`stickslip --help` lists them")
        self.refuse("help", "inffo", says="did you mean 'info'?")
        self.refuse("--verbose", says="--help and --version")

    def test_options(self):
        self.refuse("run", BALL, "--ouput", "x", says="did you mean '--output'?")
        self.refuse("run", BALL, "-z", says="run has no option '-z'")
        self.refuse("run", BALL, "--output", says="needs a value: --output OUT")
        self.refuse("run", BALL, "--quiet=yes", says="'--quiet' takes no value")
        self.refuse("run", BALL, "--threads", "0", says="1 … 1024")
        self.refuse("run", BALL, "--threads=many", says="1 … 1024")
        self.refuse("run", BALL, "--format", "bmp", says="it can be svg or png")
        self.refuse("run", BALL, "--set", "solver.tolerence=1", says="did you mean 'tolerance'?")

    def test_operands(self):
        self.refuse("run", says="run needs more")
        self.refuse("info", "a", "b", says="'b' is one too many")
        self.refuse("run", BALL, "mu", says="'mu' is not of the form name=value")
        self.refuse("run", BALL, "nu=1", says="did you mean 'mu'?")
        self.refuse("list", "solver_s", says="did you mean 'solvers'?")
        self.refuse("completion", "tcsh", says="bash, zsh and fish")

    def test_files(self):
        self.refuse("run", "missing.yaml", says="missing.yaml")
        self.refuse("check", "missing.yaml", says="missing.yaml")
        self.refuse("info", "missing.h5", says="No such file or directory")
        self.refuse("info", BALL, says="is not a record")
        self.refuse("resume", BALL, says="is not a record")
        self.refuse("plot", BALL, "t", says="is not a record")
        self.refuse("export", BALL, says="is not a record")
        with open(self.path("file"), "w"):
            pass
        self.refuse("run", BALL, "-o", "file/a.h5", says="cannot create the folder 'file'")
        self.refuse("run", BALL, "-o", "/proc/nowhere/a.h5", says="cannot create the folder")


class Lists(CommandTest):
    def test_every_kind(self):
        out, _ = self.run_command("list")
        for kind in ["sets", "solvers", "systems", "elements", "laws", "forces", "shapes", "schemes", "simulations"]:
            self.assertIn(f"{kind}\n", out)
            self.assertIn(self.run_command("list", kind)[0].strip(), out)

    def test_plugin_that_is_none(self):
        self.refuse("list", "--plugin", "nothing.so", says="cannot load the plugin")

    def test_keys(self):
        out, _ = self.run_command("list", "simulations")
        step = [line for line in out.splitlines() if line.split()[:1] == ["step"]][0]
        self.assertIn("required", step)
        self.assertIn(" s ", step)
        self.assertIn("> 0", step)
        self.assertIn("stop|warn|shrink", out)

    def test_markdown_tables_have_equal_rows(self):
        out, _ = self.run_command("list", "--markdown")
        rows = [line for line in out.splitlines() if line.startswith("|")]
        self.assertGreater(len(rows), 50)
        for row in rows:
            self.assertEqual(row.replace("\\|", "").count("|"), 6, row)

    def test_schema(self):
        schema = json.loads(self.run_command("schema")[0])
        self.assertIn("$schema", schema)


class Check(CommandTest):
    def test_says_what_is_in_a_scene(self):
        out, err = self.run_command("check", BALL, "mu=0.25*2")
        self.assertEqual(err, "")
        for part in ["ball: A ball bounces and slides.", "2 positions, 2 velocities, 2 rows",
                     "mu           = 0.5", "ball         (point)  x, y", "floor.gap    (unilateral)",
                     "floor.slip   (friction)", "to t = 1.5 s", "x', y' over t, with modes"]:
            self.assertIn(part, out)

    def test_text_is_a_scene(self):
        out, _ = self.run_command("check", BALL, "mu=0.125", "--set", "simulation.end=2", "--text")
        with open(self.path("merged.yaml"), "w") as file:
            file.write(out)
        out, _ = self.run_command("check", "merged.yaml")
        self.assertIn("mu           = 0.125", out)
        self.assertIn("to t = 2 s", out)


if __name__ == "__main__":
    unittest.main()
