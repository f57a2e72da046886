"""Runs that are killed at random instants, whose disk is full or fails, or that a power cut ends.

Every record or part file must be readable, every run must go on from its last commit, and what results must have the
bytes of a run that nothing has interrupted. STICKSLIP_KILLS: how many runs are ended (24)."""
import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

import h5py
import numpy as np

from command import BALL, SOURCE, STICKSLIP, CommandTest

FAULTS = os.environ["STICKSLIP_FAULTS"]
KILLS = int(os.environ.get("STICKSLIP_KILLS", "24"))
FLUSH = 0.05
PAGE = 4096
# A scene whose laws switch, one with contacts of shapes, one that follows events; seconds of motion
RUNS = (("tests/cli/scenes/ball.yaml", "ball", ["simulation.step=1e-4", "record.every=3"]),
        ("scenes/heap.yaml", "heap", ["record.every=1"]),
        ("scenes/woodpecker.yaml", "woodpecker", ["record.every=7", "simulation.end=0.6"]))
PART = re.compile(r"\.h5\.part-[0-9a-f]{16}$")


def datasets(path):
    """Every dataset of a record as bytes."""
    found = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, o: found.update({name: np.asarray(o[()]).tobytes()})
                     if isinstance(o, h5py.Dataset) else None)
    return found


def read_file(path):
    with open(path, "rb") as f:
        return f.read()


class Crash(CommandTest):
    def words(self, run, folder):
        scene, name, settings = RUNS[run]
        words = [STICKSLIP, "run", os.path.join(SOURCE, scene), "--no-plots", "-q", "-o", f"{folder}/{name}.h5",
                 "--set", f"record.flush={FLUSH}"]
        for setting in settings:
            words += ["--set", setting]
        return words

    def whole(self, run):
        """The datasets of the uninterrupted run, and how long it took."""
        folder = self.path(f"whole-{run}")
        if run not in self.known:
            began = time.monotonic()
            subprocess.run(self.words(run, folder), check=True, capture_output=True, timeout=120)
            self.known[run] = datasets(f"{folder}/{RUNS[run][1]}.h5"), time.monotonic() - began
        return self.known[run]

    def setUp(self):
        super().setUp()
        self.known = {}
        seed = int(os.environ.get("STICKSLIP_SEED", random.randrange(10**9)))
        self.random = random.Random(seed)
        self.addCleanup(lambda: print(f"seed {seed}"))

    def call(self, *words):
        return subprocess.run([STICKSLIP, *words], capture_output=True, timeout=120)

    def check_left(self, run, folder, what, must=True):
        """What is in the folder can be read and goes on to the same end. Returns a word for what was there. must: there
        was a commit."""
        name = RUNS[run][1]
        record = os.path.join(folder, f"{name}.h5")
        parts = [os.path.join(folder, f) for f in os.listdir(folder) if PART.search(f)]
        found = record if os.path.exists(record) else None
        for part in parts:
            if os.path.exists(part + ".0") or os.path.exists(part + ".1"):
                found = found or part
        if not found:
            self.assertFalse(must, f"{what}: nothing is left, {os.listdir(folder)}")
            return "nothing"
        info = self.call("info", found)
        if not must and info.returncode == 2 and b"holds no whole checkpoint" in info.stderr:
            return "nothing"
        self.assertEqual(info.returncode, 0, (what, found, info.stderr))
        done = self.call("resume", found, "-o", record, "--no-plots", "-q")
        self.assertEqual(done.returncode, 0, (what, found, done.stderr))
        whole, found_sets = self.whole(run)[0], datasets(record)
        self.assertEqual(sorted(whole), sorted(found_sets), what)
        for key, value in whole.items():
            self.assertEqual(value, found_sets[key], f"{what}: {key} differs")
        return "part" if found != record else "record"

    # ---- Kills ----

    def end(self, run, folder, how, after, shadow):
        """Starts a run and ends it after some seconds; returns when it was ended, by the clock."""
        words, env = self.words(run, folder), dict(os.environ)
        if how == "timeout":
            words = ["timeout", f"{after:.3f}", *words]
        if how == "power":
            os.mkdir(shadow)
            env.update(LD_PRELOAD=FAULTS, FAULTS_FOLDER=folder, FAULTS_SHADOW=shadow)
        process = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if how != "timeout":
            time.sleep(after)
            first = signal.SIGTERM if how in ("term", "double") else signal.SIGKILL
            process.send_signal(first)
            if how == "double":
                time.sleep(self.random.uniform(0, 0.02))
                process.send_signal(signal.SIGTERM)
        ended = time.time()
        _, messages = process.communicate(timeout=60)
        codes = {"timeout": (0, 124), "term": (0, 143, -15), "double": (0, 143, -15)}.get(how, (0, -9))
        self.assertIn(process.returncode, codes, (how, messages))
        return ended

    def cut_power(self, folder, shadow):
        """Of what was not synced, each page has reached the disk or not; the folder is as it was synced or as it is."""
        entries = {f: os.stat(f"{folder}/{f}").st_ino for f in os.listdir(folder)}
        now = {inode: read_file(f"{folder}/{f}") for f, inode in entries.items()}
        synced = {}
        if os.path.exists(f"{shadow}/0"):
            lines = [line.split(" ", 1) for line in read_file(f"{shadow}/0").decode().splitlines()]
            synced = {name: int(inode) for inode, name in lines}
        listing = self.random.choice((entries, synced))
        shutil.rmtree(folder)
        os.mkdir(folder)
        for name, inode in listing.items():
            safe = read_file(f"{shadow}/{inode}") if os.path.exists(f"{shadow}/{inode}") else b""
            late = now.get(inode, safe)
            length = self.random.choice((len(safe), len(late)))
            pages = [self.random.choice((safe, late))[i:i + PAGE].ljust(PAGE, b"\0")
                     for i in range(0, max(length, len(safe) if len(safe) <= len(late) else 0), PAGE)]
            with open(f"{folder}/{name}", "wb") as out:
                out.write(b"".join(pages)[:length])
        return any(f.endswith((".0", ".1")) or f.endswith(".h5") for f in synced)

    def test_runs_that_are_ended_go_on(self):
        ways = ("kill", "kill", "power", "power", "term", "timeout", "double")
        found = {}
        for i in range(KILLS):
            run, how = i % len(RUNS), ways[(i // len(RUNS)) % len(ways)]
            folder, shadow = self.path(f"run-{i}"), self.path(f"shadow-{i}")
            os.mkdir(folder)
            after = self.random.uniform(0, 1.1 * self.whole(run)[1])
            ended = self.end(run, folder, how, after, shadow)
            times = [os.stat(f"{folder}/{f}").st_mtime for f in os.listdir(folder) if f.endswith((".0", ".1"))]
            must = bool(times) and how != "power"
            if how == "kill" and len(times) == 2: # the last commit is not older than was promised, on a busy machine
                self.assertLess(ended - max(times), FLUSH + 3, f"{i} {how}")
            if how == "power":
                must = self.cut_power(folder, shadow)
            state = self.check_left(run, folder, f"{i}: {how} after {after:.3f} s of {RUNS[run][1]}", must)
            found[how, state] = found.get((how, state), 0) + 1
            shutil.rmtree(folder)
            shutil.rmtree(shadow, ignore_errors=True)
        print(found)
        self.assertGreater(found.get(("kill", "part"), 0), 0)

    # ---- Disks that are full or fail ----

    def fault(self, number, count=None):
        folder = self.path("fault")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        env = dict(os.environ, LD_PRELOAD=FAULTS, FAULTS_FOLDER=folder)
        env.update({"FAULTS_COUNT": count} if count else {"FAULTS_FAIL": number})
        done = subprocess.run(self.words(0, folder), env=env, capture_output=True, timeout=120)
        return folder, done

    def test_disks_that_fail(self):
        self.fault(None, self.path("count"))
        calls = int(read_file(self.path("count")))
        self.assertGreater(calls, 20)
        # every call while the record is begun and the first commits are made, then some of the later ones
        numbers = list(range(1, 25)) + self.random.sample(range(25, calls + 5), min(calls - 20, 8 * KILLS // 20))
        if KILLS >= 500:
            numbers = range(1, calls + 10)
        states = {}
        for n in numbers:
            for number in (f"{n}", f"{n}+"):
                if KILLS < 500 and n > 6 and (n % 2 == 0) == number.endswith("+"):
                    continue
                folder, done = self.fault(number)
                what = f"call {number} of {calls}: {done.returncode} {done.stderr.decode()}"
                self.assertIn(done.returncode, (0, 1, 2), what)
                if done.returncode != 0:
                    self.assertRegex(done.stderr.decode(), "stickslip: .*(cannot|failed)", what)
                else:
                    self.assertTrue(os.path.exists(f"{folder}/ball.h5"), what)
                state = self.check_left(0, folder, what, must=done.returncode == 0)
                if done.returncode == 1 and "recover" in done.stderr.decode():
                    self.assertNotEqual(state, "nothing", what)
                states[state] = states.get(state, 0) + 1
        print(calls, states)
        self.assertGreater(states.get("part", 0), 0)

    # ---- One place, one run ----

    def test_a_second_run_into_one_place_is_refused(self):
        folder = self.path("one")
        os.mkdir(folder)
        words = [STICKSLIP, "run", BALL, "--no-plots", "-q", "-o", f"{folder}/a.h5", "--set", "simulation.step=1e-6"]
        first = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        while not any(PART.search(f) for f in os.listdir(folder)):
            time.sleep(0.01)
        second = subprocess.run(words, capture_output=True, timeout=60)
        first.kill()
        first.communicate()
        self.assertEqual(second.returncode, 2)
        self.assertIn(b"another run is writing", second.stderr)
        self.run_command(*words[1:7], "--set", "simulation.end=0.1") # the lock has died with the first run
        self.assertFalse(os.path.exists(f"{folder}/a.h5.lock"))

    # ---- Looking and recovering ----

    def test_a_running_record_can_be_looked_at(self):
        words = [STICKSLIP, "run", BALL, "--no-plots", "-q", "-o", self.path("a.h5"), "--set", "simulation.step=1e-6",
                 "--set", "record.every=100", "--set", "record.flush=0.05", "--set", "simulation.end=1e4"]
        process = subprocess.Popen(words)
        try:
            lengths = []
            while len(lengths) < 4:
                time.sleep(0.3)
                parts = [f for f in os.listdir(self.folder) if PART.search(f)]
                if not parts or not os.path.exists(self.path(parts[0] + ".1")):
                    continue
                out, _ = self.run_command("info", parts[0])
                lengths.append(int(re.search(r"states +(\d+),", out).group(1)))
            self.assertEqual(lengths, sorted(set(lengths)))
            self.run_command("plot", parts[0], "y", "-o", "y.svg")
            self.run_command("export", parts[0], "t", "y", "--csv", "-o", "y.csv")
            page = self.call("view", self.path(parts[0]), "-o", self.path("page.html"))
            if b"the viewer is not there" not in page.stderr: # built where there is npm
                self.assertEqual(page.returncode, 0, page.stderr)
            self.assertIsNone(process.poll())
        finally:
            process.kill()
            process.communicate()
        self.run_command("recover", parts[0])
        with h5py.File(self.path("a.h5")) as f:
            self.assertGreaterEqual(len(f["time"]), lengths[-1])
            self.assertEqual(f.attrs["note"], b"the run was killed")
        self.refuse("recover", parts[0], says="'a.h5' is there")
        self.refuse("recover", "a.h5", "-o", "b.h5", says="is not what a killed run leaves")


if __name__ == "__main__":
    unittest.main()
