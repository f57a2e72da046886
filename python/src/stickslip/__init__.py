"""Non-smooth mechanics: systems that hit, stick, slip, lift off and jam.

    import stickslip

    scene = stickslip.load("bounce.yaml")          # or parse(text), build(dict), Model()
    record = scene.run("bounce.h5")                # a record: record["y"], record.events, a page in notebooks
    state = scene.simulation.run()                 # without one; step by step: scene.simulation.step()
    solution = stickslip.solve(W, q, mu)           # a problem of contact and friction by itself

The manual is docs/python.md. Failures are exceptions with the messages of the library (Error). Units are SI.

A scene, and what belongs to it, works in one thread at a time; other threads wait. Scenes are independent of each other, and
the interpreter runs other threads while the library computes: give each thread a scene of its own, `scene.fork()` makes one.
"""
from . import impact
from ._core import (Error, FileError, InputError, Key, NonFiniteError, NotConvergedError, OutOfMemoryError, SingularError,
                    Stopped, Type, UnknownNameError, UnsupportedError, lib, text, types)
from ._extend import Choice, Controller, Force, Integer, Law, LawAt, Number, Numbers, OnSystem, Text, controller
from ._inclusion import Block, Inclusion, Set, Solution, solve
from ._orbit import Orbit, OrbitError, periodic_orbit
from ._page import PageError
from ._record import Event, Record
from ._scene import (STOP, Energy, InputInfo, Inputs, LawInfo, Model, ModelInfo, Outputs, Scene, Simulation, Sizes,
                     SolveReport, State, Statistics, Step, Switch, System, build, load, parse, read, read_text)
from ._studies import Bifurcation, Branch, StudyError, Sweep, bifurcation, sweep

__version__ = text(lib.ss_version())
__all__ = [
    "load", "parse", "build", "read", "read_text", "Scene", "Model", "ModelInfo", "System", "LawInfo", "Sizes",
    "InputInfo", "Inputs", "Outputs", "Simulation", "State", "Step", "Switch", "Statistics", "Energy", "SolveReport", "STOP",
    "Record", "Event", "PageError",
    "sweep", "Sweep", "bifurcation", "Bifurcation", "Branch", "StudyError",
    "periodic_orbit", "Orbit", "OrbitError",
    "solve", "Inclusion", "Block", "Set", "Solution", "impact",
    "Controller", "controller", "Force", "Law", "LawAt", "Number", "Integer", "Numbers", "Choice", "Text", "OnSystem",
    "types", "Type", "Key",
    "Error", "InputError", "UnknownNameError", "NotConvergedError", "NonFiniteError", "SingularError", "UnsupportedError",
    "FileError", "OutOfMemoryError", "Stopped", "__version__",
]
del lib, text
