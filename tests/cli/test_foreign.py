"""Files of strangers: no command runs their code, reads or writes other files for them."""
import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import unittest

from command import BALL, SOURCE, STICKSLIP, CommandTest

import h5py
import numpy

PLUGIN = os.environ["STICKSLIP_CANARY"]
STRACE = shutil.which("strace")
READING = [["info"], ["info", "--scene"], ["info", "--events"], ["view", "-o", "page.html"], ["plot"], ["plot", "t"],
           ["export", "-o", "out.csv"], ["export", "--vtk", "vtk"], ["verify"], ["resume", "--until", "2"]]


class ForeignTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.canary = self.path("canary")
        self.env = dict(os.environ, CANARY=self.canary)

    def record(self, name="ball.h5"):
        self.run_command("run", BALL, "--no-plots", "--quiet", "-o", self.path(name))
        return self.path(name)

    def scene(self, name="named.yaml"):
        with open(BALL) as file, open(self.path(name), "w") as named:
            named.write(f"plugins: [{PLUGIN}]\n" + file.read())
        return self.path(name)

    def any_command(self, *words, env=None):
        """Runs a command that may succeed or refuse, but not crash; returns (code, output, messages)."""
        done = subprocess.run([STICKSLIP, *words], cwd=self.folder, env=env or self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120)
        self.assertIn(done.returncode, (0, 1, 2), f"{words}\n{done.stderr.decode()}")
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


class PluginsTest(ForeignTest):
    def test_scene_does_not_load_plugins(self):
        scene = self.scene()
        for words in (["run"], ["check"], ["analyse"], ["compare"], ["convergence"]):
            _, err = self.run_command(words[0], scene, code=2, env=self.env)
            self.assertIn("named.yaml:1:11: the scene names the plugin", err)
            self.assertIn("--allow-plugins", err)
        self.assertFalse(os.path.exists(self.canary))

    def test_ways_to_load(self):
        scene = self.scene()
        for words, env in ((["--allow-plugins"], {}), (["--plugin", PLUGIN], {}), ([], {"STICKSLIP_PLUGINS": PLUGIN}),
                           ([], {"STICKSLIP_PLUGINS": ":" + PLUGIN + ":" + PLUGIN})):
            self.run_command("check", scene, *words, env=dict(self.env, **env))
            self.assertTrue(os.path.exists(self.canary))
            os.remove(self.canary)

    def test_record_does_not_load_plugins(self):
        record = self.record()
        with h5py.File(record, "r+") as file:
            text = f"plugins: [{PLUGIN}]\n".encode() + bytes(file["scene/text"][()])
            del file["scene/text"]
            file["scene/text"] = numpy.array(text, dtype=f"S{len(text)}")
        for words in READING:
            code, _, err = self.any_command(words[0], record, *words[1:])
            self.assertFalse(os.path.exists(self.canary), words)
            if words[0] == "resume":
                self.assertEqual(code, 2)
                self.assertIn("the scene names the plugin", err)
            else:
                self.assertNotIn("plugin", err)

    def test_record_that_is_a_library(self):
        """HDF5 allows anything in front of a file; a record and a problem have nothing there."""
        record, both = self.record(), self.path("both.h5")
        with open(PLUGIN, "rb") as file:
            code = file.read()
        size = 512
        while size < len(code):
            size *= 2
        with h5py.File(record) as old, h5py.File(both, "w", userblock_size=size, libver=("earliest", "v108")) as new:
            for name in old:
                old.copy(name, new)
            for name, value in old.attrs.items():
                new.attrs.create(name, value, dtype=old.attrs.get_id(name).dtype)
            text = f"plugins: [{both}]\n".encode() + bytes(old["scene/text"][()])
            del new["scene/text"]
            new["scene/text"] = numpy.array(text, dtype=f"S{len(text)}")
        with open(both, "r+b") as file:
            file.write(code)
        for words in [*READING, ["solve"], ["check"], ["run"]]:
            code, _, err = self.any_command(words[0], both, *words[1:])
            self.assertFalse(os.path.exists(self.canary), words)
            self.assertEqual(code, 2, err)

    def test_resume_with_plugin(self):
        record = self.path("named.h5")
        self.run_command("run", self.scene(), "--allow-plugins", "--no-plots", "-o", record)
        self.run_command("verify", record)
        self.refuse("resume", record, "--until", "2", says="--plugin FILE")
        with h5py.File(record) as f, open(PLUGIN, "rb") as plugin:
            self.assertEqual(list(f["scene/plugins/version"].asstr()), ["2.1"])
            self.assertEqual(f["scene/plugins/sha256"].asstr()[0], hashlib.sha256(plugin.read()).hexdigest())
        _, err = self.run_command("resume", record, "--until", "2", "--plugin", PLUGIN, "--no-plots")
        self.assertNotIn("is not the one of the record", err)
        other = self.path("canary.so")
        shutil.copy(PLUGIN, other)
        with open(other, "ab") as plugin:
            plugin.write(b"another build")
        _, err = self.run_command("resume", record, "--until", "3", "--plugin", other, "--no-plots")
        self.assertIn("the plugin 'canary.so' (version '2.1') is not the one of the record", err)
        shutil.rmtree(self.path("named"), ignore_errors=True)


def scene_in_other_file(file, other):
    """The text of the scene is stored in another file."""
    size = os.path.getsize(other)
    del file["scene/text"]
    create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    create.set_external(other.encode(), 0, size)
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(size)
    h5py.h5d.create(file["scene"].id, b"text", kind, h5py.h5s.create(h5py.h5s.SCALAR), create)


def column_in_other_file(file, other):
    count = len(file["time"])
    del file["time"]
    create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    create.set_external(other.encode(), 0, 8 * count)
    h5py.h5d.create(file.id, b"time", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((count,)), create)


def soft_link(path, target):
    def change(file, other):
        del file[path]
        file[path] = h5py.SoftLink(target)
    return change


def external_link(path):
    def change(file, other):
        name = path.strip("/")
        with h5py.File(other, "w") as target:
            file.copy(name, target, name=name.replace("/", "_"))
        del file[name]
        file[name] = h5py.ExternalLink(other, name.replace("/", "_"))
    return change


def virtual(file, other):
    values = file["time"][:]
    with h5py.File(other, "w") as target:
        target["time"] = values
    del file["time"]
    layout = h5py.VirtualLayout(shape=values.shape, dtype="f8")
    layout[:] = h5py.VirtualSource(other, "time", shape=values.shape)
    file.create_virtual_dataset("time", layout)


def virtual_in_the_same_file(file, other):
    values = file["time"][:]
    del file["time"]
    file["values"] = values
    layout = h5py.VirtualLayout(shape=values.shape, dtype="f8")
    layout[:] = h5py.VirtualSource(".", "values", shape=values.shape)
    file.create_virtual_dataset("time", layout)


def unknown_filter(file, other):
    values = file["time"][:]
    del file["time"]
    file.create_dataset("time", data=values, chunks=True, compression="lzf")


def variable_text(file, other):
    del file["scene/text"]
    file["scene/text"] = "name: a"


def claims(path, shape, **how):
    """More than is stored: memory is not taken."""
    def change(file, other):
        kind = file[path].dtype
        del file[path]
        file.create_dataset(path, shape=shape, dtype=kind, **how)
    return change


def huge_text(file, other):
    del file["scene/text"]
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(1 << 31)
    create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    h5py.h5d.create(file["scene"].id, b"text", kind, h5py.h5s.create(h5py.h5s.SCALAR), create)


def references(file, other):
    count = len(file["time"])
    del file["time"]
    file.create_dataset("time", data=numpy.array([file.ref] * count, dtype=h5py.ref_dtype))


def committed_type(file, other):
    values = file["time"][:]
    file["real"] = numpy.dtype("f8")
    del file["time"]
    file.create_dataset("time", data=values, dtype=file["real"], chunks=(16,), maxshape=(None,))


def soft_chain(file, other):
    file["l9"] = file["time"][:]
    del file["time"]
    for i in range(9):
        file[f"l{i}"] = h5py.SoftLink(f"/l{i + 1}")
    file["time"] = h5py.SoftLink("/l0")


def compound(file, other):
    count = len(file["time"])
    del file["time"]
    file.create_dataset("time", data=numpy.zeros(count, dtype=[("a", "f8"), ("b", "f8")]))


def lossy_filter(file, other):
    values = file["time"][:]
    del file["time"]
    file.create_dataset("time", data=values, chunks=(16,), maxshape=(None,), scaleoffset=2)


def many_events(file, other):
    """Half a megabyte that stands for gigabytes."""
    for name in list(file["events"]):
        kind = file["events"][name].dtype
        del file["events"][name]
        file["events"].create_dataset(name, data=numpy.zeros(8_000_000, dtype=kind), chunks=(1 << 20,), maxshape=(None,),
                                      compression=9, shuffle=True)


ATTACKS = {
    "scene in other file": scene_in_other_file,
    "column in other file": column_in_other_file,
    "soft link to dataset": soft_link("q", "/u"),
    "soft link to group": soft_link("energy", "/solver"),
    "external dataset": external_link("time"),
    "external text": external_link("scene/text"),
    "external group": external_link("scene"),
    "external names": external_link("names/q"),
    "external checkpoint": external_link("checkpoint"),
    "external statistics": external_link("statistics"),
    "external events": external_link("events"),
    "virtual": virtual,
    "unknown filter": unknown_filter,
    "variable text": variable_text,
    "claims many states": claims("time", (1 << 30,), chunks=(1 << 16,), maxshape=(None,)),
    "claims many names": claims("names/q", (1 << 30,)),
    "claims a huge chunk": claims("events/law", (1 << 28,), chunks=(1 << 28,), maxshape=(None,), compression=1),
    "claims a huge text": huge_text,
    "claims a huge chunk and stores none": claims("time", (10,), chunks=(2**29 - 1,), maxshape=(None,)),
    "references": references,
    "committed type": committed_type,
    "chain of soft links": soft_chain,
    "virtual in the same file": virtual_in_the_same_file,
    "compound": compound,
    "lossy filter": lossy_filter,
    "many events": many_events,
    "text of variable length": lambda file, other: file.attrs.__setitem__("note", "a note"),
}
SECRET = b"name: SECRET-OF-THE-USER\n" + b"#" * 4000


def limit_memory():
    if not os.environ.get("STICKSLIP_SANITIZED"):  # sanitizers reserve terabytes
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


class RecordsTest(ForeignTest):
    def opened(self, trace):
        """The files that a trace says were opened, by name."""
        names = set()
        with open(trace, errors="replace") as lines:
            for line in lines:
                found = re.search(r'open(?:at)?\([^"]*"([^"]*)"', line)
                if found:
                    names.add(os.path.basename(found.group(1)))
        return names

    def attack(self, name, change):
        record, other = self.path("foreign.h5"), self.path("other")
        shutil.copy(self.good, record)
        with open(other, "wb") as file:
            file.write(SECRET)
        with h5py.File(record, "r+") as file:
            change(file, other)
        with open(other, "rb") as file:
            before = file.read()
        refused = 0
        for words in READING:
            trace, env = self.path("trace"), dict(os.environ)
            command = [STICKSLIP, words[0], record, *words[1:]]
            if STRACE:
                command = [STRACE, "-f", "-e", "trace=open,openat", "-o", trace] + command
                env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # impossible under strace
            done = subprocess.run(command, cwd=self.folder, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=120, preexec_fn=limit_memory)
            self.assertEqual(done.returncode, 2, f"{name}: {words}\n{done.stdout}\n{done.stderr}")
            self.assertIn(b"is damaged", done.stderr, f"{name}: {words}")
            self.assertNotIn(b"SECRET-OF", done.stdout + done.stderr, f"{name}: {words}")
            if STRACE:
                self.assertNotIn("other", self.opened(trace), f"{name}: {words}")
            refused += 1
        with open(other, "rb") as file:
            self.assertEqual(file.read(), before, name)
        self.assertFalse(os.path.exists(self.path("page.html")))
        return refused

    def test_attacks(self):
        self.good = self.record()
        for name, change in ATTACKS.items():
            with self.subTest(name):
                self.attack(name, change)

    def test_reaches_nothing(self):
        """What the reading commands open, run, remove and connect to: libraries, their own folder, gnuplot for plots."""
        if not STRACE:
            self.skipTest("no strace")
        self.good = record = self.record()
        ours = os.path.dirname(os.path.dirname(os.path.realpath(STICKSLIP)))
        allowed = ("/lib", "/usr/", "/etc/ld.so", "/etc/gnuplot", "/etc/fonts", "/etc/locale", "/etc/alternatives",
                   "/etc/nsswitch", "/etc/passwd", "/proc/", "/sys/", "/dev/null", "/dev/urandom", "/var/cache/fontconfig",
                   "/tmp/stickslip-", ours, self.folder)
        if os.environ.get("STICKSLIP_SANITIZED"):
            allowed += ("/tmp/tsan.rodata.",)  # of the thread sanitizer itself
        calls = "execve,open,openat,connect,unlink,unlinkat,rename,renameat,renameat2,symlink,link,mkdir,truncate"
        for words in READING:
            trace = self.path("trace")
            subprocess.run([STRACE, "-f", "-e", "trace=" + calls, "-o", trace, STICKSLIP, words[0], record, *words[1:]],
                           cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
            with open(trace, errors="replace") as lines:
                for line in lines:
                    if " = -1 " in line or "+++" in line or "---" in line or "O_TMPFILE" in line:
                        continue
                    self.assertNotIn("connect(", line, words)
                    if "execve(" in line:
                        plots = words[0] in ("plot", "resume")
                        self.assertTrue("/stickslip" in line or (plots and "/gnuplot" in line), f"{words}: {line}")
                    for path in re.findall(r'"((?:/|\.\./)[^"]*)"', line) if "execve(" not in line else []:
                        self.assertTrue(path.startswith(allowed), f"{words}: {line}")
                    if words[0] not in ("resume", "plot"):
                        self.assertFalse("/etc/passwd" in line, f"{words}: {line}")

    def test_no_regular_file(self):
        os.mkfifo(self.path("fifo.h5"))
        for path in (self.path("fifo.h5"), "/dev/zero", self.folder):
            self.refuse("info", path, says="is not a record")

    def test_problem_with_link(self):
        with h5py.File(self.path("secret.h5"), "w") as file:
            file["fclib_local/x"] = [1]
        with h5py.File(self.path("problem.hdf5"), "w") as file:
            file["fclib_local"] = h5py.ExternalLink("secret.h5", "fclib_local")
        self.refuse("solve", "problem.hdf5", says="has links that may lead elsewhere")


class FilesTest(ForeignTest):
    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def mesh_scene(self, file):
        return self.write("scenes/mesh.yaml", "systems: {ball: {type: body, mass: 1, inertia: [1, 1, 1]}}\n"
                          f"shapes: {{thing: {{type: mesh, file: '{file}', thickness: 0.1}}}}\n"
                          "simulation: {step: 1e-3, end: 1e-2}\n")

    def test_include_outside(self):
        shutil.copy(BALL, self.path("ball.yaml"))
        os.mkdir(self.path("scenes"))
        os.symlink(self.path("ball.yaml"), self.path("scenes/link.yaml"))
        for name in ("../ball.yaml", self.path("ball.yaml"), "link.yaml", "/etc/passwd"):
            scene = self.write("scenes/a.yaml", f"include: ['{name}']\n")
            self.refuse("check", scene, says="a.yaml:1:12: ")
            self.refuse("check", scene, says="is not below the folder of the scene; --allow-outside")
        self.write("scenes/a.yaml", "include: [../ball.yaml]\n")
        self.run_command("check", self.path("scenes/a.yaml"), "--allow-outside")

    def test_mesh_outside(self):
        shutil.copy(os.path.join(SOURCE, "scenes", "funnel.obj"), self.path("funnel.obj"))
        self.refuse("check", self.mesh_scene("../funnel.obj"), says="is not below the folder of the scene")
        self.refuse("check", self.mesh_scene("/etc/hostname"), says="is not below the folder of the scene")
        self.run_command("check", self.mesh_scene("../funnel.obj"), "--allow-outside")

    def test_no_regular_file(self):
        os.mkdir(self.path("scenes"))
        os.mkfifo(self.path("scenes/fifo.yaml"))
        os.mkfifo(self.path("scenes/fifo.obj"))
        scene = self.write("scenes/a.yaml", "include: [fifo.yaml]\n")
        self.refuse("check", scene, says="it is no regular file")
        self.refuse("check", self.mesh_scene("fifo.obj"), says="it is no regular file")
        self.refuse("check", self.mesh_scene("/dev/zero"), "--allow-outside", says="it is no regular file")
        self.refuse("solve", "/dev/zero", says="it is no regular file")

    def test_texts_are_clean(self):
        """Names of a foreign record obey neither a terminal nor a spreadsheet."""
        record = self.record()
        with h5py.File(record, "r+") as file:
            names = list(file["names/q"][:])
            names[0] = b"=cmd|' /C calc'!A0"
            del file["names/q"]
            file["names/q"] = numpy.array(names, dtype="S40")
            for path in ("scene/name", "scene/text"):
                del file[path]
                file[path] = numpy.array(b"name: a\x1b]0;owned\x07\xc2\x9b31m\xff\xe2\x80\xaeb\n", dtype="S32")
        for words in (["info"], ["info", "--scene"], ["info", "--columns"], ["export"], ["verify"]):
            _, out, err = self.any_command(words[0], record, *words[1:])
            for mark in ("\x1b", "\x07", "\x9b", "\ufffd", "\u202e"):
                self.assertNotIn(mark, out + err, words)
        self.assertIn(",'=cmd", self.any_command("export", record)[1])

    def test_full_disk(self):
        for words in (["schema"], ["list"], ["help"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([STICKSLIP, *words], stdout=full, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"cannot write to standard output", done.stderr)

    def test_half_picture(self):
        record = self.record()

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        done = subprocess.run([STICKSLIP, "plot", record, "y", "-o", "plot.svg"], cwd=self.folder,
                              capture_output=True, timeout=60, preexec_fn=small_files)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual([name for name in os.listdir(self.folder) if "svg" in name], [])

    def test_runs_into_one_place(self):
        """Four at once: one writes, those that meet it are refused; the record is whole, nothing else is left."""
        runs = [subprocess.Popen([STICKSLIP, "run", BALL, "-o", "one.h5", "--quiet"], cwd=self.folder,
                                 stderr=subprocess.PIPE) for _ in range(4)]
        said = [run.communicate(timeout=60)[1] for run in runs]
        self.assertIn(0, [run.returncode for run in runs])
        for run, text in zip(runs, said):
            self.assertIn(run.returncode, (0, 2))
            self.assertEqual(text == b"", run.returncode == 0)
            if run.returncode == 2:
                self.assertIn(b"another run is writing 'one.h5'", text)
        self.run_command("info", "one.h5")
        left = os.listdir(self.folder) + os.listdir(self.path("one") if os.path.isdir(self.path("one")) else ".")
        self.assertEqual([name for name in left if ".part" in name], [])

    def test_closed_standard_files(self):
        """A warning is not written into the record."""
        for closed in ("2>&-", "1>&-", "0<&-", "0<&- 1>&- 2>&-"):
            subprocess.run(["sh", "-c", f"'{STICKSLIP}' run '{BALL}' --no-plots -o closed.h5 {closed}"],
                           cwd=self.folder, timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.run_command("info", "closed.h5")


if __name__ == "__main__":
    unittest.main()
