"""The gallery shows what is right and what is not."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

STICKSLIP = os.environ["STICKSLIP"]
SOURCE = pathlib.Path(os.environ["STICKSLIP_SOURCE"])
WRONG = """
name: wrong
# A comment that is not at the top.
systems: {ball: {type: point, dim: 1, mass: 1, velocity: [1]}}
simulation: {step: 1e-2, end: 1}
expect: {way: {value: x, is: 2, within: 0.1, source: "a < b"}}
"""


class Gallery(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stickslip-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def make(self, *scenes):
        words = [SOURCE / "tools" / "gallery", STICKSLIP, self.folder / "out", *scenes]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done, (self.folder / "out" / "index.html").read_text(encoding="utf-8")

    def test_good(self):
        done, page = self.make(SOURCE / "scenes" / "bar.yaml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("4 of 4 scenes and 9 of 9 known values", page)
        self.assertNotIn("✗", page)
        for name in ("bar.h5", "bar.html", "bar.png", "bar/gaps.svg"):
            self.assertTrue((self.folder / "out" / name).exists(), name)
        self.assertIn('href="bar.html"', page)
        self.assertIn('src="bar/gaps.svg"', page)
        self.assertIn("Studer 2009, section 4.2.7.1, Figs 4.8–4.10", page)
        self.assertIn("F_y=0.6", page)

    def test_variants(self):
        done, page = self.make(SOURCE / "scenes" / "prestressed_spring.yaml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("3 of 3 scenes and 7 of 7 known values", page)
        self.assertIn("a_fric=1.1", page)
        self.assertTrue((self.folder / "out" / "prestressed_spring_more_friction.png").exists())

    def test_wrong_and_broken(self):
        (self.folder / "wrong.yaml").write_text(WRONG, encoding="utf-8")
        (self.folder / "broken.yaml").write_text("systems: 1\n", encoding="utf-8")
        done, page = self.make(self.folder / "broken.yaml", self.folder / "wrong.yaml")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAIL  broken", done.stdout)
        self.assertIn("FAIL  wrong", done.stdout)
        self.assertIn("0 of 2 scenes and 0 of 1 known values", page)
        self.assertIn("a &lt; b", page)
        self.assertIn("wants a map of names", page)
        self.assertIn("It does not say where it comes from.", page)

    def write(self, name, end):
        file = self.folder / f"{name}.yaml"
        file.write_text(f"# A ball flies.\n# Source: own case.\nname: {name}\ninclude: [ball.yaml]\nsimulation: {{step: 0.1, end: {end}}}\n", encoding="utf-8")
        return file

    def test_what_has_not_changed_is_kept(self):
        ball = self.folder / "ball.yaml"
        ball.write_text("systems: {ball: {type: point, dim: 1, mass: 1, velocity: [1]}}\nexpect: {way: {value: x, is: 1, within: 9}}\n", encoding="utf-8")
        scenes = [self.write("one", 1), self.write("two", 2)]
        written = lambda: [(self.folder / "out" / f"{name}.h5").stat().st_mtime_ns for name in ("one", "two")]
        done, first_page = self.make(*scenes)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        first = written()
        done, page = self.make(*scenes)
        self.assertEqual((done.returncode, written(), page), (0, first, first_page))
        self.write("two", 3)
        done, page = self.make(*scenes)
        second = written()
        self.assertEqual([now == before for now, before in zip(second, first)], [True, False])
        self.assertIn("2 of 2 scenes and 2 of 2 known values", page)
        ball.write_text(ball.read_text(encoding="utf-8").replace("[1]", "[2]"), encoding="utf-8")
        self.make(*scenes)
        self.assertEqual([now == before for now, before in zip(written(), second)], [False, False])
        self.make(scenes[0])
        self.assertFalse((self.folder / "out" / "two.h5").exists())


if __name__ == "__main__":
    unittest.main()
