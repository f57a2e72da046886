#!/usr/bin/env python3
"""Scenes in other units: whatever the sizes in length, time and mass, every simulation must end where it does with sizes near 1."""
import argparse
import sys
import tempfile

from families import scene
from judge import ALLOWED, SMALL, distance, spread
from quantities import Frame
from runs import EXACT, Method, Runner

SCENES = [("linkage", 0), ("cam", 0), ("clearance", 0), ("belt", 0), ("clutch", 0), ("impacts", 0), ("impacts", 1), ("rocking", 0), ("shapes", 0)]
SCALES = [(1e-9, 1, 1), (1e6, 1, 1), (1, 1e-9, 1), (1, 1e6, 1), (1, 1, 1e-9), (1, 1, 1e6), (1e-9, 1e-6, 1e-9)]


def compare(runner, s, method):
    """What is wrong with a scene by a method, in lines."""
    first = runner.run(s, method)
    if first.status != "done":
        return []  # torture.py judges refusals
    out, wide = [], None
    for scale in SCALES:
        other = runner.run(s, method, Frame(*scale))
        allowed = ALLOWED[method.simulation] if method.simulation in EXACT else 1e-6
        if other.status != "done" or other.faults != first.faults:
            out.append(f"{scale}: {other.status} {other.message.splitlines()[:1]} {other.faults}")
            continue
        gap = distance(other.state, first.state)
        if gap > allowed:
            wide = spread(runner, s, method, SMALL) if wide is None else wide
            if gap > allowed + 1000 * wide:
                out.append(f"{scale}: ends {gap:.2g} away")
    return [f"{s.family} {s.seed} {method}, scaled by {x}" for x in out]


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("command", help="the program stickslip")
    a = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="stickslip-scales-") as folder:
        runner = Runner(a.command, folder)
        methods = [Method(x) for x in EXACT] + [Method("constant")]
        bad = [line for name in SCENES for m in methods for line in compare(runner, scene(*name), m)]
    print("\n".join(bad) or f"{runner.count} runs agree")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
