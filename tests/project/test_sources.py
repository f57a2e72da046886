"""Everything that docs/sources.md names exists: links, headings, scenes and their variants, types, keys, commands, functions."""
import json
import os
import pathlib
import re
import subprocess
import unittest

import yaml

SOURCE = pathlib.Path(os.environ["STICKSLIP_SOURCE"])
DOCS = SOURCE / "docs"
PAGE = (DOCS / "sources.md").read_text(encoding="utf-8")
HEADERS = "\n".join(path.read_text(encoding="utf-8") for path in (SOURCE / "include" / "stickslip").glob("*.h"))
REFERENCE = (DOCS / "scene-reference.md").read_text(encoding="utf-8")
SCENES = {path.stem: path for path in (SOURCE / "scenes").glob("*.yaml")}
KINDS = ("set", "solver", "system", "element", "law", "force", "shape", "scheme", "simulation")
TYPE = re.compile(rf"({'|'.join(KINDS)}) (\w+)(?:: (\w+))?")
# A line of the catalogue: picture, scene, what it shows, source, time.
ENTRY = re.compile(r"^\| (?:!\[\w+\]\((?P<picture>[^)]+)\))? ?\| \[(?P<scene>\w+)\]\(\.\./scenes/\w+\.yaml\) \| (?P<about>[^|]+) \| [^|]+ \|$", re.M)


def command(*words):
    return subprocess.run([os.environ["STICKSLIP"], *words], capture_output=True, text=True, check=True).stdout


def anchors(text):
    """The names that headings of a Markdown page have in links."""
    titles = re.findall(r"^#+ (.+)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def section(head):
    """The part of the reference below a heading."""
    found = re.search(rf"^{re.escape(head)}(?: \(the default\))?\n(.*?)(?=^##|\Z)", REFERENCE, flags=re.S | re.M)
    return found[1] if found else ""


def structure(name):
    return re.search(rf"typedef struct {name} \{{(.*?)^\}}", HEADERS, flags=re.S | re.M)[1]


class Sources(unittest.TestCase):
    def test_links(self):
        for file, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", PAGE):
            path = DOCS / file if file else DOCS / "sources.md"
            with self.subTest(f"{file}#{anchor}"):
                self.assertTrue(path.exists())
                if anchor:
                    self.assertIn(anchor, anchors(path.read_text(encoding="utf-8")))

    def test_names(self):
        types = {kind: re.findall(r"^  (\w+): ", command("list", f"{kind}s"), flags=re.M) for kind in KINDS}
        commands = re.findall(r"^  (\w+) ", command("--help"), flags=re.M)
        for name in re.findall(r"`([^`]+)`", PAGE):
            with self.subTest(name):
                if found := TYPE.fullmatch(name):
                    kind, one, key = found.groups()
                    self.assertIn(one, types[kind])
                    if key:
                        plural = kind if kind in ("solver", "scheme", "simulation") else f"{kind}s"
                        self.assertIn(f"| `{key}` |", section(f"### {kind} `{one}`") + section(f"## {plural}"))
                elif found := re.fullmatch(r"(ss_\w+_ops)\.(\w+)", name):
                    self.assertIn(f"(*{found[2]})", structure(found[1]))
                elif name.startswith("ss_"):
                    self.assertRegex(HEADERS, rf"\b{name}\b")
                elif name.startswith("stickslip "):
                    self.assertIn(name.split()[1], commands)
                elif not re.fullmatch(r"S\d+\.\d+", name):
                    self.assertTrue(section(f"## {name}"), "neither a type, a key, a function, a command nor a section")

    def test_variants(self):
        known = {variant["name"] for variant in json.loads((SOURCE / "scenes" / "variants.json").read_text(encoding="utf-8"))}
        named = set()
        for names in re.findall(r"variants? ((?:\w+_\w+(?:, )?)+)", PAGE):
            named |= set(names.split(", ")) - {""}
        self.assertEqual(named, known)

    def test_catalogue(self):
        entries = {entry["scene"]: entry for entry in ENTRY.finditer(PAGE)}
        self.assertEqual(set(entries), set(SCENES))
        for name, entry in entries.items():
            with self.subTest(name):
                scene = yaml.safe_load(SCENES[name].read_text(encoding="utf-8"))
                self.assertEqual(entry["about"], scene["description"].strip())


if __name__ == "__main__":
    unittest.main()
