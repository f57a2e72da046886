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
        self.assertIn("1 of 1 scenes and 3 of 3 known values", page)
        self.assertNotIn("✗", page)
        for name in ("bar.h5", "bar.html", "bar.png", "bar/gaps.svg"):
            self.assertTrue((self.folder / "out" / name).exists(), name)
        self.assertIn('href="bar.html"', page)
        self.assertIn('src="bar/gaps.svg"', page)
        self.assertIn("section 4.2.7.1", page)

    def test_variants(self):
        done, page = self.make(SOURCE / "scenes" / "prestressed_spring.yaml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 of 2 scenes and 4 of 4 known values", page)
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


if __name__ == "__main__":
    unittest.main()
