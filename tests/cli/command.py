"""Runs the command in a folder of its own."""
import os
import shutil
import subprocess
import tempfile
import unittest

STICKSLIP = os.environ["STICKSLIP"]
SOURCE = os.environ["STICKSLIP_SOURCE"]
SCENES = os.path.join(SOURCE, "tests", "cli", "scenes")
BALL = os.path.join(SCENES, "ball.yaml")
ENDLESS = os.path.join(SCENES, "endless.yaml")


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stickslip-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_command(self, *words, code=0, env=None):
        """Runs `stickslip words…`, checks what it exits with, returns (output, messages)."""
        done = subprocess.run([STICKSLIP, *words], cwd=self.folder, env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{words}\n{out}\n{err}")
        if code != 0:
            self.assertTrue(err.startswith("stickslip: "), err)
        return out, err

    def refuse(self, *words, says, code=2):
        out, err = self.run_command(*words, code=code)
        self.assertIn(says, err)
        return err
