"""Every scene says where it comes from and what is known about it."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import yaml

SOURCE = pathlib.Path(os.environ["STICKSLIP_SOURCE"])
SCENES = sorted((SOURCE / "scenes").glob("*.yaml"))
# A place in a book or paper, or the word that there is none.
PLACE = re.compile(r"[A-ZÄÖÜ]\S+.* (19|20)\d\d.*(section|Fig\.|Figs|Table) ?\d|^own case\b")
PICTURED = re.compile(r"Figs? |Fig\. |Table ")

# A script that computes known values, one a line: the name of the expectation, and the value.
SCRIPT = re.compile(r"tests/reference/(\w+)\.py")

loader = importlib.machinery.SourceFileLoader("gallery", str(SOURCE / "tools" / "gallery"))
gallery = importlib.util.module_from_spec(importlib.util.spec_from_loader("gallery", loader))
loader.exec_module(gallery)


def expectations(path):
    scene = yaml.safe_load(path.read_text(encoding="utf-8"))
    found = dict(scene.get("expect") or {})
    for name in scene.get("include", []):
        found |= expectations(path.parent / name)
    return found


def all_expectations():
    for path in SCENES:
        for name, expectation in (yaml.safe_load(path.read_text(encoding="utf-8")).get("expect") or {}).items():
            yield path.name, name, expectation
    for variant in json.loads((SOURCE / "scenes" / "variants.json").read_text(encoding="utf-8")):
        for name, expectation in variant["expect"].items():
            yield variant["name"], name, expectation


def computed(script):
    folder = SOURCE / "tests" / "reference"
    done = subprocess.run([sys.executable, "-B", folder / f"{script}.py"], capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}


class Scenes(unittest.TestCase):
    def test_sources(self):
        for path in SCENES:
            with self.subTest(path.name):
                about, source = gallery.head_of(path)
                self.assertGreater(len(about), 20)
                self.assertRegex(source, PLACE)
                if not source.startswith("own case") and path.stem != "three_balls":
                    self.assertRegex(source, PICTURED)

    def test_expectations(self):
        for path in SCENES:
            with self.subTest(path.name):
                found = expectations(path)
                self.assertTrue(found)
                for name, expectation in found.items():
                    self.assertTrue(expectation.get("source"), f"{path.name}: {name} does not say where it is known from")

    def test_reference_computations(self):
        """A known value that was computed has its script, and the script still gives it."""
        wanted = {}
        for scene, name, expectation in all_expectations():
            for script in SCRIPT.findall(expectation["source"]):
                wanted.setdefault(script, []).append((scene, name, expectation))
            self.assertNotRegex(expectation["source"], "independent(ly)? comput|computed independent")
        scripts = {path.stem for path in (SOURCE / "tests" / "reference").glob("*.py")} - {"motion"}
        self.assertEqual(scripts, set(wanted))
        for script, known in wanted.items():
            values = computed(script)
            for scene, name, expectation in known:
                with self.subTest(f"{script}: {scene}: {name}"):
                    self.assertIn(name, values)
                    self.assertAlmostEqual(float(expectation["is"]), values[name], delta=float(expectation["within"]) / 2)

    def test_expectations_can_fail(self):
        """A tolerance as wide as the value itself lets nearly everything pass."""
        for scene, name, expectation in all_expectations():
            try:
                known, within = float(expectation.get("is", 0)), float(expectation.get("within", 0))
            except ValueError:
                continue  # expressions
            if known:
                self.assertLess(within, abs(known), f"{scene}: {name}")

    def test_variants(self):
        variants = json.loads((SOURCE / "scenes" / "variants.json").read_text(encoding="utf-8"))
        names = [variant["name"] for variant in variants] + [path.stem for path in SCENES]
        self.assertEqual(len(names), len(set(names)))
        for variant in variants:
            with self.subTest(variant["name"]):
                base = SOURCE / "scenes" / variant["scene"]
                self.assertRegex(variant.get("source") or gallery.head_of(base)[1], PLACE)
                self.assertTrue(variant["about"] and variant["expect"])
                self.assertTrue(variant.get("parameters") or variant.get("set"))
                for expectation in variant["expect"].values():
                    self.assertTrue(expectation["source"])


if __name__ == "__main__":
    unittest.main()
