"""Every scene says where it comes from and what is known about it."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import unittest

import yaml

SOURCE = pathlib.Path(os.environ["STICKSLIP_SOURCE"])
SCENES = sorted((SOURCE / "scenes").glob("*.yaml"))
# A place in a book or paper, or the word that there is none.
PLACE = re.compile(r"[A-ZÄÖÜ]\S+.* (19|20)\d\d.*(section|Fig\.|Figs|Table) ?\d|^own case\b")
PICTURED = re.compile(r"Figs? |Fig\. |Table ")

loader = importlib.machinery.SourceFileLoader("gallery", str(SOURCE / "tools" / "gallery"))
gallery = importlib.util.module_from_spec(importlib.util.spec_from_loader("gallery", loader))
loader.exec_module(gallery)


def expectations(path):
    scene = yaml.safe_load(path.read_text(encoding="utf-8"))
    found = dict(scene.get("expect") or {})
    for name in scene.get("include", []):
        found |= expectations(path.parent / name)
    return found


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
