"""docs/architecture.md names real files and functions: each path exists, and each function is defined in the tree."""
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(os.environ["STICKSLIP_SOURCE"])
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


class Architecture(unittest.TestCase):
    def test_paths_exist(self):
        paths = re.findall(r"`(src/[\w/.]+)`", TEXT)
        self.assertGreater(len(paths), 10)
        for path in paths:
            self.assertTrue((ROOT / path).exists(), path)

    def test_functions_are_defined_where_it_says(self):
        walk = TEXT.split("## The walk of a step")[1].split("##")[0]
        rows = [line for line in walk.splitlines() if line.startswith("|") and "`ss_" in line and "`src/" in line]
        self.assertGreater(len(rows), 8)
        for row in rows:
            sources = "".join((ROOT / path).read_text(encoding="utf-8") for path in re.findall(r"`(src/[\w/.]+\.[ch])`", row))
            for name in re.findall(r"`(ss_\w+)`", row):
                self.assertRegex(sources, rf"(?m)^[\w \*]*\b{name}\(", f"{name} in {row}")

    def test_names_exist(self):
        tree = "".join(p.read_text(encoding="utf-8") for p in [*(ROOT / "src").rglob("*.[ch]"), *(ROOT / "include").rglob("*.h")])
        for name in set(re.findall(r"`((?:ss|SS)_\w+)`", TEXT)):
            self.assertIn(name, tree)

    def test_layers_are_those_of_the_build(self):
        build = (ROOT / "cmake/StickslipLayers.cmake").read_text(encoding="utf-8")
        layers = re.search(r"set\(STICKSLIP_LAYERS ([^)]*)\)", build).group(1).split()
        table = TEXT.split("## Layers")[1].split("##")[0]
        named = re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `")))
        self.assertEqual(named, layers)


if __name__ == "__main__":
    unittest.main()
