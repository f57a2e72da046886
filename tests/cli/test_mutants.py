"""Records that were changed: every command that reads them succeeds or refuses; none crashes, hangs or fills the memory.

MUTANTS in the environment says how many (300); MUTANTS_FIRST where the random numbers begin."""
import concurrent.futures
import os
import random
import resource
import shutil
import struct
import subprocess
import tempfile
import unittest

from command import BALL, SOURCE, STICKSLIP, CommandTest

import h5py
import numpy

COUNT = int(os.environ.get("MUTANTS", "300"))
FIRST = int(os.environ.get("MUTANTS_FIRST", "0"))
COMMANDS = [["info"], ["info", "--events"], ["info", "--scene"], ["export", "-o", "out.csv"], ["export", "--vtk", "vtk"],
            ["plot", "y", "-o", "plot.csv"], ["view", "-o", "page.html"], ["verify"],
            ["resume", "--until", "0.06", "-o", "next.h5", "--no-plots", "--quiet"]]
MARKS = (b"TREE", b"SNOD", b"HEAP")
WORDS = [0, 1, 2, 7, 8, 127, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1,
         2**40, 1032, 96]


def places(data):
    """Where the file describes itself: behind the marks of its nodes, and its head."""
    found = [0]
    for mark in MARKS:
        at = data.find(mark)
        while at >= 0:
            found.append(at)
            at = data.find(mark, at + 4)
    # Headers of objects: version 1, a count, and one reference.
    for at in range(0, len(data) - 16, 8):
        if data[at] == 1 and data[at + 1] == 0 and data[at + 4:at + 8] == b"\1\0\0\0":
            found.append(at)
    return found


def change_bytes(data, where, draw):
    for _ in range(draw.choice((1, 1, 2, 4))):
        width = draw.choice((1, 2, 4, 8))
        at = (draw.choice(where) + draw.randrange(200)) // width * width
        if draw.random() < 0.1:
            at = draw.randrange(len(data)) // width * width
        value = draw.choice(WORDS + [draw.randrange(len(data)), len(data) - draw.randrange(64), draw.getrandbits(64)])
        if at + width <= len(data):
            data[at:at + width] = struct.pack("<Q", value % 2**64)[:width]
    if draw.random() < 0.05:
        del data[draw.randrange(len(data)):]


def change_values(path, draw):
    """Numbers, names and sizes inside of a file that is whole."""
    with h5py.File(path, "r+") as file:
        names = []
        file.visititems(lambda name, item: names.append(name))
        item = file[draw.choice(names)]
        if isinstance(item, h5py.Group) or (item.attrs and draw.random() < 0.2):
            if item.attrs:
                name = draw.choice(list(item.attrs))
                item.attrs.create(name, draw.choice((-1, 2**63, 0, float("nan"), "x" * 300)))
            elif item.name != "/":
                del file[item.name]
            return
        name, values = item.name, item[()]
        how = draw.randrange(4)
        if how == 0 and values.shape and values.shape[0] > 1:
            values = values[:draw.randrange(values.shape[0])]
        elif how == 1 and values.dtype.kind != "S":
            values = numpy.array(values, dtype=draw.choice(("f4", ">f8", "i1", ">u8", "u2")))
        elif how == 2:
            del file[name]
            return
        elif values.size:
            flat = numpy.array(values, copy=True).reshape(-1)
            at = draw.randrange(flat.size)
            number = draw.choice((-1, 0, 100, -2**31, 2**31 - 1))
            flat[at] = draw.choice((b"\x1b[31m", b"=1+1", b"", b"\xff\xfe")) if flat.dtype.kind == "S" else \
                numpy.array(number).astype(flat.dtype)
            values = flat.reshape(values.shape)
        del file[name]
        file.create_dataset(name, data=values)


def limit_memory():
    if not os.environ.get("STICKSLIP_SANITIZED"):
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


def judge(record, words, folder):
    """What is wrong with the way a command ends, or None."""
    try:
        done = subprocess.run([STICKSLIP, words[0], record, *words[1:]], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60, preexec_fn=limit_memory)
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode not in (0, 1, 2):
        return f"ends with {done.returncode}: {done.stderr.decode(errors='replace')}"
    if b"ERROR: AddressSanitizer" in done.stderr or b"runtime error" in done.stderr:
        return done.stderr.decode(errors="replace")
    if done.returncode != 0 and not done.stderr.startswith(b"stickslip: "):
        return f"fails without a message: {done.stderr}"
    if b"\x1b" in done.stdout + done.stderr:
        return "prints what a terminal obeys"
    return None


class MutantsTest(CommandTest):
    def seeds(self):
        for name, scene, end in (("ball", BALL, "0.05"), ("stack", os.path.join(SOURCE, "scenes", "stack.yaml"), "0.01")):
            path = self.path(name + ".h5")
            self.run_command("run", scene, "--set", "simulation.end=" + end, "-o", path, "--quiet", "--no-plots")
            with open(path, "rb") as file:
                data = file.read()
            yield data, places(data)

    def try_mutant(self, seeds, number):
        draw = random.Random(number)
        data, where = draw.choice(seeds)
        data = bytearray(data)
        whole = draw.random() < 0.4
        if not whole:
            change_bytes(data, where, draw)
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            record = os.path.join(folder, "mutant.h5")
            with open(record, "wb") as file:
                file.write(data)
            if whole:
                change_values(record, draw)
            for words in COMMANDS:
                fault = judge(record, words, folder)
                if fault:
                    shutil.copy(record, f"/tmp/stickslip-mutant-{number}.h5")
                    return f"mutant {number}, {words}: {fault}"
        return None

    def test_mutants(self):
        seeds = list(self.seeds())
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            faults = [f for f in pool.map(lambda n: self.try_mutant(seeds, n), range(FIRST, FIRST + COUNT)) if f]
        self.assertEqual(faults, [])

    def test_checkpoints(self):
        """A saved state that was changed: resuming goes on or refuses."""
        path, mutant = self.path("stack.h5"), self.path("mutant.h5")
        self.run_command("run", os.path.join(SOURCE, "scenes", "stack.yaml"), "--set", "simulation.end=0.01", "-o", path,
                         "--quiet", "--no-plots")
        for number in range(FIRST, FIRST + max(COUNT // 4, 1)):
            draw = random.Random(number)
            shutil.copy(path, mutant)
            with h5py.File(mutant, "r+") as file:
                state = file["checkpoint/state"][:]
                words = state[:len(state) // 4 * 4].view("u4")
                for _ in range(draw.choice((1, 3, 20))):
                    words[draw.randrange(len(words))] = draw.choice(WORDS) % 2**32
                file["checkpoint/state"][...] = state
            fault = judge(mutant, ["resume", "--until", "0.012", "-o", "next.h5", "--no-plots", "--quiet"], self.folder)
            self.assertIsNone(fault, number)
        with h5py.File(path, "r+") as file:
            state = file["checkpoint/state"][:]
            words = state[:len(state) // 4 * 4].view("u4")
            words[20:] = 2**31 - 1
            file["checkpoint/state"][...] = state
        self.refuse("resume", path, "--until", "0.012", says="the saved state is damaged")


if __name__ == "__main__":
    unittest.main()
