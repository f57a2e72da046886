"""Runs a scene by one method and reads where it ends."""
import dataclasses
import itertools
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess

import h5py
import numpy

from quantities import Frame, rotation

PROCESSOR_SECONDS = 50 if os.environ.get("STICKSLIP_SANITIZED") else 5  # of one run
EXACT = ("event_driven", "augmented", "hybrid")
SOLVERS = ["auto", "sorprox", "exact", "interior", "alart_curnier", "woesle_pfeiffer", "funk", "lemke"]
STEPS = 200            # of the coarsest run with constant steps


@dataclasses.dataclass(frozen=True)
class Method:
    """A simulation, a solver (None: the default) and, for constant steps, their number."""
    simulation: str
    solver: str = None
    steps: int = STEPS

    def __str__(self):
        name = self.simulation if self.simulation != "constant" else f"constant/{self.steps}"
        return name + (f" with {self.solver}" if self.solver else "")

    def settings(self, end):
        s = {"type": self.simulation, "end": end}
        solver = {"type": self.solver} if self.solver else {}
        if self.simulation == "constant":
            s["step"] = end / self.steps
        elif self.simulation == "augmented":
            s.update(step_max=end / 50, step_min=end * 1e-8)
            solver["tolerance"] = 1e-12  # docs/augmented.md: for such a least step
        else:
            s["output"] = end / 50
        return {"simulation": s, **({"solver": solver} if solver else {})}


@dataclasses.dataclass
class Result:
    status: str                # done, refused, timeout, crash
    message: str = ""
    state: numpy.ndarray = None
    faults: list = dataclasses.field(default_factory=list)  # laws that the record breaks
    said: str = ""             # what the run says about uniqueness


def factors(size, seed):
    """Relative changes of a scene's numbers, at most `size`."""
    r = random.Random(seed)
    return (size * r.uniform(-1, 1) for _ in itertools.count()) if size else itertools.repeat(0.)


def with_rotations(tree, frame):
    """The scene with the rotation of every body written out, as another frame turns it."""
    free = lambda s: s["type"] == "body" and "rotation" not in s and not frame.plain
    return {**tree, "systems": {n: {**s, "rotation": rotation((0, 0, 1), 0.)} if free(s) else s for n, s in tree["systems"].items()}}


def write(scene, method, frame=Frame(), change=0., seed=0, order=None, start=None):
    """The scene as a tree of plain values: in a frame, with its numbers changed, in another order, from another state."""
    tree = {k: v for k, v in frame.tree(with_rotations(scene.tree, frame), factors(change, seed)).items() if v}
    if order is not None:
        r = random.Random(order)
        for section in tree.values():
            items = list(section.items())
            r.shuffle(items)
            section.clear()
            section.update(items)
    for name, (q, u) in (start or {}).items():
        if "motion" not in tree["systems"][name]:
            tree["systems"][name].pop("rotation", None)
            tree["systems"][name].update(position=q, velocity=u)
    end = (scene.end - frame.start) * frame.units[1]
    return {"name": "torture", **tree, **method.settings(end), "record": {"every": 10 if method.simulation == "constant" else 1}}


class Runner:
    """Runs the command in a folder of its own."""

    def __init__(self, command, folder, seconds=PROCESSOR_SECONDS):
        self.command, self.folder, self.seconds, self.count = command, pathlib.Path(folder), seconds, 0

    def limit(self):
        resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def run(self, scene, method, frame=Frame(), **changes):
        self.count += 1
        path, record = self.folder / "scene.yaml", self.folder / "scene.h5"
        path.write_text(json.dumps(write(scene, method, frame, **changes)), encoding="utf-8")
        record.unlink(missing_ok=True)
        try:
            done = subprocess.run([self.command, "run", str(path), "-o", str(record), "--no-plots", "--threads", "1", "--certify",
                                   "--allow", "energy,growth,tunnelling,uniqueness"], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=20 * self.seconds, preexec_fn=self.limit,
                                  env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        except subprocess.TimeoutExpired:
            return Result("timeout", f"more than {20 * self.seconds} s")
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace").strip()
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return Result("timeout", f"more than {self.seconds} s of processor")
        if done.returncode < 0 or done.returncode > 2:
            return Result("crash", f"exit status {done.returncode}: {err}")
        breach = re.search(r"not trusted: .*?(laws: .*?)(;|$)", err, re.M)
        if done.returncode and not breach:
            return Result("refused" if err else "crash", err or "failed without a message")
        said = "\n".join(line for line in (out + err).splitlines() if "motion" in line and "not examined" not in line
                         and ("unique" in line or "depend" in line))
        with h5py.File(record, "r") as f:
            state = read_state(f, scene, frame)
            return Result("done", err, state, read_faults(f, method, frame) + ([breach[1]] if breach else []), said)


def systems_of(f, scene, at):
    """name → (q, u) of every system in one recorded state, as they stand in the record."""
    out, names = {}, {k: [n.split(".")[0] for n in f[f"names/{k}"].asstr()] for k in "qu"}
    for name in scene.tree["systems"]:
        out[name] = tuple([float(x) for x, n in zip(f[k][at], names[k]) if n == name] for k in "qu")
    return out


def read_state(f, scene, frame, at=-1):
    out = []
    for name, (q, u) in systems_of(f, scene, at).items():
        out += frame.read(scene.tree["systems"][name]["type"], q, u, scene.dims.get(name))
    return numpy.array(out)


def read_faults(f, method, frame):
    """What no motion may show: numbers that are not finite; of exact methods also energy lost, contacts that pull or overlap."""
    faults = []
    if not all(numpy.isfinite(f[k][:]).all() for k in "qu"):
        return ["numbers that are not finite"]
    if method.simulation == "constant":
        return faults
    e = {k: f["energy/" + k][:] for k in ("kinetic", "potential", "dissipated", "load", "balance")}
    size = max(max(abs(e[k] - (0 if k == "kinetic" else e[k][0]))) for k in ("kinetic", "potential", "dissipated", "load"))
    size = max(size, 1e-9 * frame.unit(2, -2, 1))  # what rests has energies of rounding; scenes have sizes near 1
    if max(abs(e["balance"])) > 1e-3 * size:
        faults.append(f"energy: {max(abs(e['balance'])) / size:.2g} of it not accounted for")
    for k, (name, kind) in enumerate(zip(f["names/laws"].asstr(), f["laws/type"].asstr())):
        if kind == "unilateral" and f["laws/geometric"][k]:
            row = f["laws/first_row"][k]
            P, gap = f["impulse"][:, row], f["gap"][:, row]
            if min(P) < -1e-6 * max(abs(P)):
                faults.append(f"{name} pulls")
            if numpy.nanmin(gap) < -1e-5 * frame.units[0]:
                faults.append(f"{name} overlaps by {-numpy.nanmin(gap):.2g} m")
    return faults
