"""The tutorial, followed literally in an empty folder: its scenes, its commands, and what it says they print."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["STICKSLIP_SOURCE"])
STICKSLIP = pathlib.Path(os.environ["STICKSLIP"])
STEPS = re.split(r"^## \d\. ", (SOURCE / "docs" / "tutorial.md").read_text(encoding="utf-8"), flags=re.M)[1:]


def blocks(step, language):
    return re.findall(rf"^```{language}\n(.*?)^```", step, flags=re.M | re.S)


class Tutorial(unittest.TestCase):
    def test_pictures(self):
        self.assertEqual(len(STEPS), 6)
        for step in STEPS:
            picture = re.search(r"!\[.+\]\((images/\S+)\)", step).group(1)
            self.assertTrue((SOURCE / "docs" / picture).exists(), picture)

    def test_steps(self):
        """The first five: a step's first text is a new scene, or more of the last one where it has no name. The sixth needs an
        installed stickslip; its files are those of examples/, which have tests of their own."""
        if not (STICKSLIP.parent.parent / "share" / "stickslip" / "viewer.html").exists():
            self.skipTest("there is no viewer")
        folder = tempfile.TemporaryDirectory(prefix="stickslip-")
        self.addCleanup(folder.cleanup)
        path = {**os.environ, "PATH": f"{STICKSLIP.parent}:{os.environ['PATH']}"}
        for number, step in enumerate(STEPS[:5], 1):
            for text in blocks(step, "yaml"):
                name = re.match(r"name: (\w+)\n", text)
                scene = pathlib.Path(folder.name) / f"{name.group(1)}.yaml" if name else scene
                with scene.open("a", encoding="utf-8") as file:
                    file.write(text)
            printed = ""
            for commands in blocks(step, "sh"):
                done = subprocess.run(commands, shell=True, cwd=folder.name, env=path, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, f"step {number}: {done.stdout}{done.stderr}")
                printed += done.stdout
            for expected in blocks(step, ""):
                self.assertIn(expected, printed)
        made = {file.name for file in pathlib.Path(folder.name).iterdir()}
        self.assertLessEqual({"bounce.h5", "bounce", "slide.h5", "rough.h5", "clapper.h5", "clapper.html"}, made)

    def test_own_law(self):
        source = (SOURCE / "examples" / "adhesion.c").read_text(encoding="utf-8")
        scene = (SOURCE / "examples" / "adhesion.yaml").read_text(encoding="utf-8")
        squeeze = lambda text: re.sub(r"\s+", " ", text)
        shown = [function for block in blocks(STEPS[5], "c") for function in block.split("\n\n")]
        for function in shown:
            head, _, body = function.partition("{")
            self.assertIn(squeeze(head).strip(), squeeze(source))
            for line in body.splitlines():
                self.assertIn(squeeze(line).strip(), squeeze(source))
        for part in blocks(STEPS[5], "yaml"):
            for line in part.splitlines():
                self.assertIn(line, scene)


if __name__ == "__main__":
    unittest.main()
