"""Runs a scene by all methods, in other units and frames, and compares."""
import copy
import dataclasses
import random

import h5py
import numpy

from quantities import Frame, Q, X, Vector
from runs import EXACT, SOLVERS, STEPS, Method, systems_of, write

# Differences allowed without a reason, in parts of the scene's size: exact methods have tolerances of 1e-8 and better; a hybrid
# run has the error of its steps where impacts accumulate; what constant steps may differ by comes from three step sizes.
ALLOWED = {"event_driven": 1e-6, "augmented": 1e-5, "hybrid": 1e-3, "constant": 1e-3}
SMALL, LARGE = 1e-9, 1e-3  # changes of the start, for exact methods and for constant steps
DEFECTS = ("disagree", "laws", "accepted", "crash", "timeout")
VERDICTS = ("agree", "sensitive", "not unique", "refused", *DEFECTS)


@dataclasses.dataclass
class Verdict:
    name: str
    lines: list
    pair: tuple = ()      # the methods that disagree
    variation: str = ""   # or the variation of the scene that changed the motion,
    how: dict = dataclasses.field(default_factory=dict)  # and what makes it


def distance(a, b):
    return float(numpy.max(numpy.abs(a - b) / numpy.maximum(1, numpy.maximum(numpy.abs(a), numpy.abs(b)))))


def spread(runner, scene, method, size, runs=3):
    """How far apart starts that differ by `size` end."""
    states = [r.state for r in (runner.run(scene, method, change=size, seed=k) for k in range(runs)) if r.status == "done"]
    return max((distance(a, b) for a in states for b in states), default=numpy.inf)


def extrapolate(fine, finer):
    return 2 * finer - fine


def constant_agrees(runner, scene, reference, method, states):
    """Whether constant steps converge to the reference; (yes, difference, allowed)."""
    scatter = distance(states[0], states[1]) + distance(states[1], states[2])
    gap, allowed = distance(extrapolate(states[1], states[2]), reference), ALLOWED["constant"] + 3 * scatter
    if gap <= allowed:
        return True, gap, allowed
    fine = runner.run(scene, Method("constant", steps=40 * STEPS))
    if fine.status == "done" and distance(fine.state, reference) <= max(distance(states[2], reference) / 3, ALLOWED["constant"]):
        return True, gap, allowed
    allowed += 3 * spread(runner, scene, method, LARGE)
    return gap <= allowed, gap, allowed


def frames(scene, r):
    """The variations of a scene, name → arguments of a run."""
    scale = lambda: 10 ** r.uniform(-6, 6)
    turn = Frame(axis=(0, 0, 1), angle=r.uniform(-3, 3), offset=[r.uniform(-2, 2) for _ in range(2)] + [0])
    out = {"units": {"frame": Frame(scale(), scale(), scale())}, "order": {"order": r.random()}}
    if scene.frame:
        out["frame"], out["mirror"] = {"frame": turn}, {"frame": Frame(mirror=True)}
    return out


def shifted(runner, scene, method):
    """The scene begun at the state that a run has at two fifths of its time."""
    if not scene.shift:
        return None
    first = runner.run(scene, method)
    if first.status != "done":
        return None
    with h5py.File(runner.folder / "scene.h5", "r") as f:
        k = int(numpy.argmin(abs(f["time"][:] - 0.4 * scene.end)))
        start, t = systems_of(f, scene, k), float(f["time"][k])
    return {"frame": Frame(start=t), "start": start}


def vary(runner, scene, results):
    """One variation of the scene by one method, chosen by its seed; None when it changes nothing."""
    r = random.Random(f"variation {scene.family} {scene.seed}")
    choices = frames(scene, r)
    name = r.choice(["units", "units", "frame", "mirror", "order", "shift"])
    method = r.choice([m for m in results if not m.solver] or [None])
    if method is None or results[method].status != "done":
        return None
    how = shifted(runner, scene, method) if name == "shift" else choices.get(name)
    if not how or name == "shift" and method.simulation == "constant":
        return None
    other = runner.run(scene, method, **how)
    text = f"{method}, {name}: "
    if other.status != "done":
        return Verdict("refused" if other.status == "refused" else other.status, [text + f"{other.status}: {other.message}"], variation=name)
    gap, allowed = distance(other.state, results[method].state), ALLOWED[method.simulation] if method.simulation != "constant" else 1e-6
    if gap > allowed:
        allowed += 1000 * spread(runner, scene, method, SMALL)
    if gap <= allowed:
        return None
    return Verdict("disagree", [text + f"ends {gap:.2g} away, allowed {allowed:.2g}"], (method, method), name, how)


def methods_of(scene):
    r = random.Random(f"solvers {scene.family} {scene.seed}")
    out = [Method(s) for s in EXACT] + [Method("event_driven", r.choice(SOLVERS))]
    out += [Method("constant", steps=STEPS * k) for k in (1, 2, 4)] + [Method("constant", r.choice(SOLVERS), 4 * STEPS)]
    return out


def compare(runner, scene, results):
    """The first pair of results that disagree, with lines that say what was found."""
    done = {m: r for m, r in results.items() if r.status == "done"}
    exact = [m for m in done if m.simulation in EXACT]
    lines, sensitive = [], False
    if exact:
        for m in exact[1:]:
            gap, allowed = distance(done[m].state, done[exact[0]].state), max(ALLOWED[m.simulation], ALLOWED[exact[0].simulation])
            if gap > allowed:
                wide = 1000 * spread(runner, scene, exact[0], SMALL)
                sensitive = sensitive or wide > 1e-2
                allowed += wide
            if gap > allowed:
                return Verdict("disagree", [f"{m} ends {gap:.2g} from {exact[0]}, allowed {allowed:.2g}"], (exact[0], m)), sensitive
    steps = [m for m in done if m.simulation == "constant" and not m.solver]
    if len(steps) == 3 and exact:
        good, gap, allowed = constant_agrees(runner, scene, done[exact[0]].state, exact[0], [done[m].state for m in steps])
        if not good:
            return Verdict("disagree", [f"constant steps end {gap:.2g} from {exact[0]}, allowed {allowed:.2g}"], (exact[0], *steps)), sensitive
    for m in done:
        same = Method("constant", steps=m.steps)
        if m.simulation == "constant" and m.solver and same in done:
            gap = distance(done[m].state, done[same].state)
            if gap > 1e-5 and gap > (allowed := 1e-5 + 1000 * spread(runner, scene, same, SMALL)):
                return Verdict("disagree", [f"{m} ends {gap:.2g} from {same}, allowed {allowed:.2g}"], (same, m)), sensitive
    return Verdict("sensitive" if sensitive else "agree", lines), sensitive


def judge(runner, scene, methods=None, variations=True):
    """The verdict on a scene."""
    results = {m: runner.run(scene, m) for m in methods or methods_of(scene)}
    told = [f"{m}: {r.status}" + (f": {r.message.splitlines()[0]}" if r.message else "") for m, r in results.items()]
    for status in ("crash", "timeout"):
        bad = [m for m, r in results.items() if r.status == status]
        if bad:
            return Verdict(status, told, tuple(bad[:1]))
    if not scene.soluble:
        silent = [m for m, r in results.items() if r.status == "done"]
        return Verdict("accepted" if silent else "refused", told, tuple(silent[:1]))
    broken = [m for m, r in results.items() if r.faults]
    if broken:
        return Verdict("laws", [f"{m}: {x}" for m in broken for x in results[m].faults] + told, (broken[0],))
    verdict, _ = compare(runner, scene, results)
    if verdict.name == "disagree" and any(results[m].said for m in verdict.pair):
        verdict.name = "not unique"
    elif verdict.name in ("agree", "sensitive"):
        if any(r.status == "refused" and not m.solver for m, r in results.items()):
            verdict.name = "refused"
        changed = vary(runner, scene, results) if variations else None
        verdict = changed or verdict
    states = [f"{m}: {' '.join(f'{x:.9g}' for x in r.state)}" for m, r in results.items() if r.status == "done"]
    verdict.lines += told + (states if verdict.name == "disagree" else [])
    return verdict


def rounded(node, digits):
    if isinstance(node, Q):
        one = lambda x: float(f"{x:.{digits}g}")
        value = [one(x) for x in node.value] if isinstance(node.value, list) else one(node.value)
        return Q(value, node.L, node.T, node.M, node.kind, node.vary)
    if isinstance(node, (X, Vector)):
        return type(node)(*(x if isinstance(x, str) else rounded(x, digits) for x in ((node.text, *node.args) if isinstance(node, X) else node.parts)))
    if isinstance(node, dict):
        return {k: rounded(v, digits) for k, v in node.items()}
    return [rounded(v, digits) for v in node] if isinstance(node, list) else node


def smaller(scene):
    """Scenes with one thing less, or with rounder numbers."""
    for section in ("elements", "forces", "shapes", "systems"):
        for name in list(scene.tree.get(section, {})):
            if len(scene.tree[section]) > 1 or section == "forces":
                s = copy.deepcopy(scene)
                del s.tree[section][name]
                yield s
    for name, element in scene.tree.get("elements", {}).items():
        for group in element.get("laws", {}):
            for key in ("restitution", None):
                s = copy.deepcopy(scene)
                laws = s.tree["elements"][name]["laws"]
                if key is None and len(laws) > 1 and group != "gap":
                    del laws[group]
                    yield s
                elif key and laws[group].pop(key, None):
                    yield s
    for end in (0.5, 0.75):
        yield dataclasses.replace(scene, end=float(f"{scene.end * end:.2g}"))
    for digits in (1, 2):
        yield dataclasses.replace(scene, tree=rounded(scene.tree, digits))


def shrink(runner, scene, verdict, tries=40):
    """A smaller scene with the same verdict by the same methods."""
    if verdict.variation:
        return scene, verdict
    again, tried = True, set()
    while again:
        again = False
        for s in smaller(scene):
            key = str(write(s, Method("constant")))
            if key in tried:
                continue
            tried.add(key)
            if len(tried) > tries:
                return scene, verdict
            try:
                v = judge(runner, s, verdict.pair, variations=False)
            except (KeyError, ValueError):
                continue
            if v.name == verdict.name and v.pair == verdict.pair:
                scene, verdict, again = s, v, True
                break
    return scene, verdict

