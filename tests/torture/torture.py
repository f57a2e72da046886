#!/usr/bin/env python3
"""Random scenes, each computed by every method, and compared.

Every scene is run event-driven, augmented, hybrid and with constant steps of three sizes, extrapolated, with the default solver
and others, and once more in other units, another frame, mirrored, in another order or from a later instant. Verdicts:

  agree       all results agree within their errors
  sensitive   they agree within what a changed start explains, and that is much
  not unique  they differ, and a run says that the motion is not unique
  refused     a run with the default solver ends with a message (of insoluble scenes: every run, as it must be)
  disagree    two results differ, and no run says so: a defect
  laws        a result loses energy, or a contact pulls or overlaps: a defect
  accepted    an insoluble scene was solved: a defect
  crash, timeout   defects

A scene with a defect is made smaller and written to a folder: OUT/FAMILY-SEED/scene.yaml and verdict.txt.
Exits with 1 when there is a defect that the list of known ones does not have.
"""
import argparse
import collections
import concurrent.futures
import functools
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

import yaml

from families import FAMILIES, scene
from judge import DEFECTS, VERDICTS, judge, shrink
from runs import PROCESSOR_SECONDS, Method, Runner, write

KNOWN = pathlib.Path(__file__).with_name("known.txt")


def keep(folder, small, verdict, first):
    """Writes a scene with a defect, ready to be run, and what was found."""
    folder.mkdir(parents=True, exist_ok=True)
    for i, method in enumerate(verdict.pair or (Method("event_driven"),)):
        name = "scene.yaml" if i == 0 else f"scene-{i + 1}.yaml"
        text = yaml.safe_dump(write(small, method, **(verdict.how if i else {})), sort_keys=False, default_flow_style=None, width=110)
        (folder / name).write_text(f"# {verdict.name}; {method}. Source: tests/torture, family {small.family}, seed {small.seed}.\n{text}",
                                   encoding="utf-8")
    (folder / "verdict.txt").write_text("\n".join([verdict.name, *verdict.lines, "", "the scene as drawn:", *first.lines, ""]), encoding="utf-8")


def reason(verdict):
    """The line of a verdict that says why."""
    if verdict.name in ("disagree", "laws", "not unique"):
        return verdict.lines[0]
    word = "done" if verdict.name == "accepted" else verdict.name
    return next((x for x in verdict.lines if f": {word}" in x), "")


def examine(job, command, out, seconds, small):
    """(family, seed, verdict, first line, seconds, runs) of one scene."""
    name, seed = job
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="stickslip-torture-") as folder:
        runner = Runner(command, folder, seconds)
        s = scene(name, seed)
        verdict = judge(runner, s)
        spent = time.monotonic() - began
        if out and verdict.name in DEFECTS:
            least, last = shrink(runner, s, verdict) if small else (s, verdict)
            keep(pathlib.Path(out) / f"{name}-{seed}", least, last, verdict)
        return name, seed, verdict.name, reason(verdict), spent


def read_known(path):
    """{(family, seed): (verdict, reason)}; a line is FAMILY SEED VERDICT REASON."""
    out = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        if line.strip() and not line.startswith("#"):
            name, seed, verdict, reason = (line.split(None, 3) + [""])[:4]
            out[name, int(seed)] = (verdict, reason)
    return out


def table(rows):
    counts = collections.Counter((r[0], r[2]) for r in rows)
    used = [v for v in VERDICTS if any(r[2] == v for r in rows)]
    print(f"{'family':<12}" + "".join(f"{v:>11}" for v in used))
    for name in [*dict.fromkeys(r[0] for r in rows)]:
        print(f"{name:<12}" + "".join(f"{counts[name, v] or '–':>11}" for v in used))
    soluble = [r for r in rows if r[0] != "insoluble"]  # those without a solution count apart
    print(f"{'all others':<12}" + "".join(f"{sum(r[2] == v for r in soluble):>11}" for v in used))
    times = [r[4] for r in rows]
    print(f"{len(rows)} scenes, {sum(r[2] == 'refused' for r in soluble) / max(1, len(soluble)):.1%} refused; median {statistics.median(times):.2f} s, mean {statistics.mean(times):.2f} s a scene")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("command", help="the program stickslip")
    p.add_argument("--count", type=int, default=1000, help="number of scenes, over all chosen families (default 1000)")
    p.add_argument("--seed", type=int, default=0, help="first seed (default 0); scene k of a family has the seed SEED + k")
    p.add_argument("--family", action="append", choices=list(FAMILIES), help="only this family; may be repeated")
    p.add_argument("--scene", action="append", metavar="FAMILY/SEED", help="only this scene; may be repeated")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="scenes at a time (default: processors)")
    p.add_argument("--out", help="folder for scenes with defects")
    p.add_argument("--seconds", type=int, default=PROCESSOR_SECONDS, help=f"processor time of one run (default {PROCESSOR_SECONDS})")
    p.add_argument("--known", type=pathlib.Path, default=KNOWN, help="list of known defects")
    p.add_argument("--no-shrink", action="store_true", help="keep scenes with defects as they are")
    p.add_argument("--list", action="store_true", help="print every scene's verdict")
    a = p.parse_args()
    names = a.family or list(FAMILIES)
    jobs = [(names[k % len(names)], a.seed + k // len(names)) for k in range(a.count)]
    if a.scene:
        jobs = [(name, int(seed)) for name, seed in (x.split("/") for x in a.scene)]
        names = [*dict.fromkeys(name for name, _ in jobs)]
    work = functools.partial(examine, command=shutil.which(os.path.abspath(a.command)) or a.command, out=a.out, seconds=a.seconds, small=not a.no_shrink)
    known, rows, new = read_known(a.known), [], 0
    with concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
        for row in pool.map(work, jobs):
            rows.append(row)
            name, seed, verdict, why, spent = row
            entry = known.get((name, seed))
            if verdict in DEFECTS:
                new += entry is None
                print(f"{'known' if entry else 'NEW'}: {name} {seed} {verdict} {why}" + (f" [{entry[1]}]" if entry else ""), flush=True)
            elif entry:
                print(f"gone: {name} {seed} {verdict}; take it out of {a.known.name}", flush=True)
            elif a.list:
                print(f"{name} {seed} {verdict} ({spent:.1f} s) {why}", flush=True)
    table(sorted(rows, key=lambda r: (r[0] == "insoluble", names.index(r[0]))))
    if new:
        print(f"torture: {new} defects that {a.known.name} does not have", file=sys.stderr)
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
