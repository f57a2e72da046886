"""The manual has a page with formulas for every scheme and every solver that is registered."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["STICKSLIP_SOURCE"])
FORMULA = re.compile(r"\$[^$]+\$|[∈⊥]|\S = \S|α =|β =")


def registered(kind):
    listed = subprocess.run([os.environ["STICKSLIP"], "list", kind], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  (\w+): ", listed, flags=re.M)
    assert len(names) > 10, listed
    return names


class Manual(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stickslip-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        subprocess.run([SOURCE / "tools" / "manual-types", self.folder], check=True)

    def check(self, kind, heading):
        """heading: where what belongs to all of them begins or ends."""
        for name in registered(kind):
            with self.subTest(name):
                page = (self.folder / kind / f"{name}.md").read_text(encoding="utf-8")
                before_keys = page.split("\n## Keys\n")[0]
                own = before_keys.split(heading)[-1]
                self.assertGreater(len(own), 100, own)
                self.assertRegex(own, FORMULA)
                self.assertIn("\n## Keys\n", page)
        index = (self.folder / kind / "README.md").read_text(encoding="utf-8")
        self.assertEqual(sorted(re.findall(r"\[(\w+)\]", index)), sorted(registered(kind)))

    def test_schemes(self):
        self.check("schemes", "\n\n# Scheme")

    def test_solvers(self):
        self.check("solvers", "its friction cone.\n")


if __name__ == "__main__":
    unittest.main()
