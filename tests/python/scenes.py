"""Scenes that several tests use."""
import os
import pathlib

SOURCE = pathlib.Path(os.environ["STICKSLIP_SOURCE"])
BUILD = pathlib.Path(os.environ["STICKSLIP_BUILD"])
WOODPECKER = SOURCE / "scenes" / "woodpecker.yaml"

BALL = {
    "name": "ball",
    "parameters": {"restitution": 0.5},
    "systems": {"ball": {"type": "point", "dim": 1, "mass": 0.1, "position": 1}},
    "elements": {"floor": {"type": "plane", "system": "ball", "normal": 1,
                           "laws": {"gap": {"type": "unilateral", "restitution": "restitution"}}}},
    "forces": {"weight": {"type": "gravity", "acceleration": -9.81}},
    "simulation": {"type": "constant", "step": 1e-3, "end": 2},
}
