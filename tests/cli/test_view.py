"""Pages and expectations: `stickslip view` and `stickslip verify`."""
import base64
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import unittest

import h5py

from command import BALL, STICKSLIP, CommandTest

DRAWN = """
name: drawn
description: "</script><b>"
include: [{ball}]
record: {{every: {every}}}
simulation: {{step: {step}}}
drawing:
  ball: {{shape: circle, on: ball, radius: 0.05}}
  floor: {{shape: line, points: [[-1, 0], [1, 0]]}}
  moving: {{shape: box, x: 2*x, size: [0.1, 0.1]}}
expect:
  first_impact: {{value: t, event: floor.gap closed, is: sqrt(2*height/9.81), within: 2e-3, source: closed form}}
  wrong: {{value: y, is: 5, within: 0.1}}
"""


def viewer():
    """Whether the build has made the viewer."""
    return os.path.exists(os.path.join(os.path.dirname(STICKSLIP), "..", "share", "stickslip", "viewer.html"))


class View(CommandTest):
    def setUp(self):
        super().setUp()
        # What the page is put into does not matter here.
        with open(self.path("viewer.html"), "w", encoding="utf-8") as file:
            file.write("<html>before<!-- record -->after</html>")
        self.env = dict(os.environ, STICKSLIP_VIEWER=self.path("viewer.html"))

    def make(self, every=1, step="1e-3"):
        with open(self.path("drawn.yaml"), "w", encoding="utf-8") as file:
            file.write(DRAWN.format(ball=BALL, every=every, step=step))
        self.run_command("run", "drawn.yaml", "-q", "--no-plots", "--allow-outside", "-o", "drawn.h5")

    def page(self):
        out, _ = self.run_command("view", "drawn.h5", env=self.env)
        self.assertEqual(out, "drawn.html\n")
        with open(self.path("drawn.html"), encoding="utf-8") as file:
            text = file.read()
        parts = re.fullmatch(r'<html>before<script type="application/json" id="record">(.*)</script>\s*'
                             r'<script type="text/plain" id="samples">([A-Za-z0-9+/=]*)</script>\s*'
                             r"<!-- record -->after</html>", text, re.S)
        self.assertIsNotNone(parts)
        self.assertNotIn("<", parts[1])
        data = json.loads(parts[1])
        raw = base64.b64decode(parts[2], validate=True)
        n = data["rows"]
        times = struct.unpack(f"<{n}d", raw[:8 * n])
        curves = struct.unpack(f"<{(len(raw) - 8 * n) // 4}f", raw[8 * n:])
        return data, times, [curves[i:i + n] for i in range(0, len(curves), n)]

    def test_samples_are_those_of_the_record(self):
        self.make()
        data, times, curves = self.page()
        names = [signal["name"] for signal in data["signals"]]
        with h5py.File(self.path("drawn.h5")) as file:
            self.assertEqual(list(times), list(file["time"][:]))
            q = file["q"][:].astype("f4")
            for column, name in enumerate(("ball.x", "ball.y")):
                curve = curves[data["signals"][names.index(name)]["curve"]]
                self.assertEqual(list(curve), list(q[:, column]))
            self.assertEqual([event[0] for event in data["events"]], list(file["events/time"][:]))
            self.assertEqual([event[1] for event in data["events"]], list(file["events/law"][:]))
        self.assertEqual(data["description"], "</script><b>")
        self.assertEqual(dict(data["parameters"]), {"mu": 0.3, "height": 0.3})

    def test_shapes_refer_to_signals(self):
        self.make()
        data, _, curves = self.page()
        ball, floor, moving = data["shapes"]
        self.assertEqual(ball["radius"], 0.05)
        self.assertEqual(data["signals"][ball["carrier"]["y"]["s"]]["name"], "ball.y")
        self.assertEqual(floor["points"], [[-1, 0], [1, 0]])
        names = [signal["name"] for signal in data["signals"]]
        double = curves[data["signals"][moving["x"]["s"]]["curve"]]
        single = curves[data["signals"][names.index("ball.x")]["curve"]]
        for a, b in zip(double, single):
            self.assertAlmostEqual(a, 2 * b, delta=1e-6)

    def test_records_carry_what_is_shown(self):
        self.make()
        with h5py.File(self.path("drawn.h5")) as file:
            display = json.loads(file["scene/display"][()])
        self.assertEqual(display["description"], "</script><b>")
        ball, floor, moving = ({p["key"]: p for p in shape["properties"]} for shape in display["drawing"])
        self.assertEqual([shape["name"] for shape in display["drawing"]], ["ball", "floor", "moving"])
        self.assertEqual((ball["on"]["expression"], ball["on"]["items"]), (False, ["ball"]))
        self.assertEqual((floor["points"]["columns"], floor["points"]["items"]), (2, ["-1", "0", "1", "0"]))
        self.assertEqual((moving["x"]["expression"], moving["x"]["items"]), (True, ["2*x"]))
        first, wrong = display["expectations"]
        with h5py.File(self.path("drawn.h5")) as file:
            law = list(file["names/laws"].asstr()).index("floor.gap")
        self.assertEqual((first["value"], first["event"], first["within"]), ("t", [law, 1, 1], 2e-3))
        self.assertAlmostEqual(first["is"], (0.6 / 9.81) ** 0.5, delta=1e-15)
        self.assertEqual((wrong["value"], wrong["over"], "event" in wrong, "at" in wrong), ("y", "moment", False, False))

    def test_lanes_follow_the_switches(self):
        self.make(every=100)
        data, _, _ = self.page()
        for index, law in enumerate(data["laws"]):
            ends = [end for end, _ in law["lane"]]
            self.assertEqual(ends, sorted(ends))
            for t, which, constraint, _ in data["events"]:
                if which != index:
                    continue
                mode = next(mode for end, mode in law["lane"] if end >= t - 1e-9)
                self.assertEqual(mode == 0, bool(constraint), f"{law['name']} at {t}")

    def test_a_long_record_is_thinned_but_keeps_what_matters(self):
        self.make(step="2e-5")
        data, times, _ = self.page()
        self.assertEqual(data["states"], 75001)
        self.assertLess(data["rows"], 40001)
        self.assertEqual((times[0], times[-1]), (0, 1.5))
        kept = set(times)
        with h5py.File(self.path("drawn.h5")) as file:
            for t in file["events/time"][:][:200]:
                self.assertIn(t, kept)

    def test_a_record_without_states_to_see(self):
        self.refuse("view", "nothing.h5", says="nothing.h5")

    def test_output(self):
        self.make()
        out, _ = self.run_command("view", "drawn.h5", "-o", "sub/page.html", env=self.env)
        self.assertEqual(out, "sub/page.html\n")
        self.assertEqual(os.listdir(self.path("sub")), ["page.html"])

    def test_without_viewer(self):
        self.make()
        self.env["STICKSLIP_VIEWER"] = self.path("missing.html")
        _, err = self.run_command("view", "drawn.h5", code=2, env=self.env)
        self.assertIn("npm", err)
        with open(self.path("missing.html"), "w", encoding="utf-8") as file:
            file.write("<html></html>")
        _, err = self.run_command("view", "drawn.h5", code=2, env=self.env)
        self.assertIn("no place for a record", err)

    def test_scene_that_cannot_be_loaded(self):
        self.make()
        with h5py.File(self.path("drawn.h5"), "r+") as file:
            text = file["scene/text"][()].decode()
            del file["scene/text"]
            text = text.replace("drawing:", "drowing:").encode()
            file.create_dataset("scene/text", data=text, dtype=h5py.string_dtype("utf-8", len(text)))
        out, err = self.run_command("view", "drawn.h5", env=self.env)
        self.assertEqual(out, "drawn.html\n")
        self.assertIn("drowing", err)
        self.assertIn("without its drawing", err)

    def test_missing_programs(self):
        self.make()
        self.env["PATH"] = self.path("empty")
        _, err = self.run_command("view", "drawn.h5", "--png", "a.png", code=2, env=self.env)
        self.assertIn("apt install chromium", err)
        os.mkdir(self.path("empty"))
        fake = self.path("empty/chromium")
        frame = base64.b64encode(b"\xff\xd8\xff\xd9").decode()
        with open(fake, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nprintf \'<pre id="frames">\\n{frame}\\n</pre>\'\n')
        os.chmod(fake, 0o755)
        _, err = self.run_command("view", "drawn.h5", "--video", "a.mp4", code=2, env=self.env)
        self.assertIn("apt install ffmpeg", err)

    def test_bad_wishes(self):
        self.make()
        for words, says in ((("--png", "a.png", "--size", "12"), "1280x800"),
                            (("--png", "a.png", "--at", "noon"), "number"),
                            (("--png", "a.png", "--video", "a.mp4"), "either")):
            _, err = self.run_command("view", "drawn.h5", *words, code=2, env=self.env)
            self.assertIn(says, err)
        self.run_command("run", BALL, "-q", "--no-plots")
        _, err = self.run_command("view", "ball.h5", "--video", "a.mp4", code=2, env=self.env)
        self.assertIn("neither shapes nor a section 'drawing'", err)

    @unittest.skipUnless(viewer() and shutil.which("chromium"), "needs the viewer and Chromium")
    def test_picture(self):
        self.make()
        out, _ = self.run_command("view", "drawn.h5", "--png", "a.png", "--stage", "--size", "320x200")
        self.assertEqual(out, "a.png\n")
        with open(self.path("a.png"), "rb") as file:
            head = file.read(24)
        self.assertEqual(struct.unpack(">II", head[16:24]), (320, 200))
        self.assertEqual([name for name in os.listdir("/tmp") if name.startswith(f"stickslip-{os.getpid()}")], [])

    @unittest.skipUnless(viewer() and shutil.which("chromium"), "needs the viewer and Chromium")
    def test_picture_of_a_run(self):
        self.make()
        out, _ = self.run_command("run", "drawn.yaml", "-q", "--no-plots", "--allow-outside", "-o", "again.h5", "--png", "b.png")
        self.assertEqual(out, "b.png\n")
        with open(self.path("b.png"), "rb") as file:
            self.assertEqual(struct.unpack(">II", file.read(24)[16:]), (1280, 800))
        self.assertTrue(os.path.exists(self.path("again.h5")))

    @unittest.skipUnless(viewer() and shutil.which("chromium") and shutil.which("ffmpeg"), "needs ffmpeg")
    def test_film(self):
        self.make()
        self.run_command("view", "drawn.h5", "--video", "a.mp4", "--speed", "1", "--size", "320x200")
        probe = ["ffprobe", "-v", "error", "-show_entries", "stream=width,height,nb_frames", "-of", "csv=p=0",
                 self.path("a.mp4")]
        found = subprocess.run(probe, capture_output=True, check=True, text=True).stdout.strip()
        self.assertEqual(found, "320,200,46")  # 1.5 s at 30 frames a second, and the first


class Verify(CommandTest):
    def test_table_and_json(self):
        with open(self.path("drawn.yaml"), "w", encoding="utf-8") as file:
            file.write(DRAWN.format(ball=BALL, every=1, step="1e-3"))
        self.run_command("run", "drawn.yaml", "-q", "--no-plots", "--allow-outside", "-o", "drawn.h5")
        done = subprocess.run([STICKSLIP, "verify", self.path("drawn.h5")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"ok +first_impact +0\.24")
        self.assertRegex(done.stdout, r"MISS +wrong")
        self.assertIn("1 of 2 expectations met", done.stdout)
        self.assertEqual(done.stderr, f"stickslip: {self.path('drawn.h5')}: 'wrong' is not met\n")
        done = subprocess.run([STICKSLIP, "verify", "--json", self.path("drawn.h5")], capture_output=True, text=True)
        first, wrong = json.loads(done.stdout)
        self.assertAlmostEqual(first["measured"], (0.6 / 9.81) ** 0.5, delta=2e-3)
        self.assertEqual((first["met"], wrong["met"]), (True, False))
        self.assertEqual((wrong["is"], wrong["within"], first["source"]), (5, 0.1, "closed form"))

    def test_nothing_expected(self):
        self.run_command("run", BALL, "-q", "--no-plots")
        out, _ = self.run_command("verify", "ball.h5")
        self.assertEqual(out, "0 of 0 expectations met\n")


class Live(CommandTest):
    def run_in_terminal(self, *words):
        """Everything that `stickslip words…` shows on a terminal of 80 columns."""
        reader, writer = pty.openpty()
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        child = subprocess.Popen([STICKSLIP, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=writer)
        os.close(writer)
        shown = b""
        while True:
            try:
                part = os.read(reader, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(reader)
        self.assertEqual(child.wait(), 0)
        return shown.decode()

    def test_coordinates_and_modes(self):
        shown = self.run_in_terminal("run", BALL, "--live", "--no-plots")
        last = re.split(r"\x1b\[[0-9]+A", shown)[-1]
        lines = re.sub(r"\x1b\[K", "", last).split("\r\n")
        self.assertRegex(lines[0], r"t = 1\.5 of 1\.5 s, [0-9]+ switches")
        self.assertEqual([line.split()[0] for line in lines[1:5]], ["ball.x", "ball.y", "floor.gap", "floor.slip"])
        self.assertTrue(lines[3].endswith(" closed") and lines[4].endswith(" stick"))
        self.assertEqual(lines[3].split()[1].strip("█░"), "")
        self.assertEqual(lines[3].split()[1][0], "░")  # in the air at first
        self.assertEqual(lines[3].split()[1][-1], "█")
        self.assertTrue(all(len(line) <= 80 for line in lines))

    def test_not_on_a_terminal(self):
        _, err = self.run_command("run", BALL, "--live", "--no-plots")
        self.assertEqual(err, "")


if __name__ == "__main__":
    unittest.main()
