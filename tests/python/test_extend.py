"""Forces and laws written in Python."""
import gc
import math
import threading

import numpy as np
import pytest
import stickslip
from scenes import BUILD, SOURCE


class Drag(stickslip.Force):
    """Air resistance, quadratic in the speed."""

    name = "drag"
    on = stickslip.OnSystem(doc="The system that moves through the air.")
    coefficient = stickslip.Number(unit="N s^2/m^2", min=0, doc="Force at a speed of 1 m/s.")

    def force(self, t, q, u):
        v, = u
        return [-(self.coefficient * math.sqrt(sum(v * v))) * v]


class Spring(stickslip.Force):
    """A linear spring between two points, with all kinds of keys."""

    name = "python_spring"
    a, b = stickslip.OnSystem(), stickslip.OnSystem()
    stiffness = stickslip.Number("2*pi^2", positive=True)
    power = stickslip.Integer(1, min=1, max=3)
    along = stickslip.Choice("both", "pull", default="both")
    offset = stickslip.Numbers(0.0)
    more = stickslip.Numbers(())
    label = stickslip.Text("none")

    def setup(self):
        self.kept = (self.a, self.b, self.stiffness, self.power, self.along, list(self.offset), list(self.more), self.label)
        Spring.last = self

    def stretch(self, q):
        return q[1] - q[0] - self.offset

    def force(self, t, q, u):
        pull = self.stiffness * self.stretch(q)
        return pull, -pull

    def potential(self, t, q):
        return self.stiffness * float(self.stretch(q) @ self.stretch(q)) / 2


class Glue(stickslip.Law):
    """A contact that can pull up to its strength."""

    name = "adhesion"
    law_class, rows, words = "unilateral", "geometric", ("stuck", "free")
    strength = stickslip.Number(unit="N", min=0, doc="Pull that the glue can bear.")
    reach = stickslip.Number(1e-9, unit="m", min=0)

    def setup(self):
        self.line = stickslip.Set("half_line")

    def level(self, at):
        assert at.gamma is None
        return "active" if at.g[0] <= self.reach else "inactive"

    def set(self, at):
        return self.line, 1.0

    def added(self, at):
        return -self.strength * at.dt


def two_points(**spring):
    point = {"type": "point", "dim": 1, "mass": 1}
    return {"systems": {"p": {**point, "position": -1}, "r": {**point, "position": 1}},
            "forces": {"s": {"type": "python_spring", "a": "p", "b": "r", **spring}},
            "simulation": {"step": 1e-3, "end": 0.5}}


def without_plugins(name):
    scene = stickslip.read(SOURCE / "examples" / f"{name}.yaml")
    del scene["plugins"]
    return scene


def test_force_is_that_of_the_plugin():
    scene = stickslip.build(without_plugins("drag"), types=[Drag])
    state = scene.simulation.run()
    weight, c = 0.0027 * 9.81, 0.0003
    final = math.sqrt(weight / c)
    assert state.u[0] == pytest.approx(-final * math.tanh(9.81 * state.t / final), rel=1e-4)
    plugin = stickslip.load(BUILD / "examples" / "drag.yaml", allow_plugins=True)
    assert plugin.simulation.run().save() == state.save()


def test_law_is_that_of_the_plugin():
    scene = stickslip.build(without_plugins("adhesion"), types=[Glue])
    record = scene.run()
    first, event = record.events
    assert first.t == pytest.approx(1e-5) and first.after == "stuck"
    assert event.t == pytest.approx(0.2, abs=2e-5) and (event.before, event.after) == ("stuck", "free")
    plugin = stickslip.load(BUILD / "examples" / "adhesion.yaml", allow_plugins=True)
    assert plugin.simulation.run().save() == scene.simulation.save()


def test_energy_and_keys():
    """Two points of 1 kg on a spring: period π √(2/k) · √2 … = 2π √(1/(2k)), with k = 2π²: 1 s; half of it turns them round."""
    scene = stickslip.build(two_points(label="mine", along="pull"), types=[Spring])
    assert Spring.last.kept == ("p", "r", pytest.approx(2 * math.pi**2), 1, "pull", [0.0], [], "mine")
    simulation = scene.simulation
    before = simulation.energy()
    assert before.potential == pytest.approx(4 * math.pi**2)
    state = simulation.run()
    assert state.q == pytest.approx([1, -1], abs=1e-4)
    after = simulation.energy()
    assert after.load_work == 0.0 and after.kinetic + after.potential == pytest.approx(before.potential, rel=1e-4)


@pytest.mark.parametrize("changes, says", [
    ({"stiffness": 0}, "stiffness"), ({"stifness": 1}, "stiffness"), ({"along": "push"}, "both.*pull|push"), ({"power": 4}, "power"),
    ({"a": "x"}, "'x'"),
])
def test_keys_are_checked(changes, says):
    with pytest.raises(stickslip.Error, match=says) as caught:
        stickslip.build(two_points(**changes), types=[Spring])
    assert caught.value.line > 0


def drop(made, **keys):
    return {"systems": {"ball": {"type": "point", "dim": 1, "mass": 1}},
            "forces": {"f": {"type": made.name, "on": "ball", **keys}}, "simulation": {"step": 1e-3, "end": 0.01}}


def force(**methods):
    return type("Made", (stickslip.Force,), {"name": "made", "on": stickslip.OnSystem(), **methods})


def test_exceptions_come_back():
    def fail(self, t, q, u):
        if t > 0.004:
            raise ZeroDivisionError("mine")
        return [[0.0]]
    made = force(force=fail)
    scene = stickslip.build(drop(made), types=[made])
    with pytest.raises(ZeroDivisionError, match="mine"):
        scene.simulation.run()
    assert 0.003 < scene.simulation.t < 0.006

    def refuse(self):
        raise stickslip.InputError("no balls")
    made = force(setup=refuse, force=fail)
    with pytest.raises(stickslip.InputError, match="no balls"):
        stickslip.build(drop(made), types=[made])


@pytest.mark.parametrize("given, says", [([[1.0, 2.0]], r"must be \(1,\)"), ([], "0 arrays for 1"), ([["a"]], "float"), (None, "NoneType")])
def test_wrong_forces(given, says):
    made = force(force=lambda self, t, q, u: given)
    with pytest.raises(Exception, match=says):
        stickslip.build(drop(made), types=[made]).simulation.step()


def test_wrong_types():
    with pytest.raises(stickslip.Error, match="name"):
        stickslip.build({}, types=[type("NoName", (stickslip.Force,), {})])
    with pytest.raises(stickslip.InputError, match="law_class"):
        stickslip.build({}, types=[type("NoClass", (stickslip.Law,), {"name": "n"})])
    with pytest.raises(stickslip.Error, match="spring"):
        stickslip.build({}, types=[type("Twice", (stickslip.Force,), {"name": "spring", "on": stickslip.OnSystem()})])
    made = type("Nowhere", (stickslip.Force,), {"name": "nowhere"})
    with pytest.raises(stickslip.InputError, match="OnSystem"):
        stickslip.build({**drop(made), "forces": {"f": {"type": "nowhere"}}}, types=[made])


def test_arrays_cannot_be_written():
    def force_of(self, t, q, u):
        q[0][0] = 1.0
        return [[0.0]]
    made = force(force=force_of)
    with pytest.raises(ValueError, match="read-only"):
        stickslip.build(drop(made), types=[made]).simulation.step()


def test_friction_that_depends_on_speed():
    """Friction that weakens: the deceleration is μ(v) g."""
    class Weakening(stickslip.Law):
        """Friction whose coefficient falls with the speed."""
        name = "weakening"
        law_class, rows, each_row, words = "friction", "kinematic", False, ("stick", "slip")
        depends = ("speed",)
        mu = stickslip.Number(min=0)
        load = stickslip.Number(min=0, unit="N")

        def setup(self):
            self.interval = stickslip.Set("interval")

        def sets(self, dim):
            return [self.interval]

        def set(self, at):
            return self.interval, self.mu / (1 + abs(at.gamma[0])) * self.load * at.dt

    scene = {"systems": {"box": {"type": "point", "dim": 1, "mass": 2, "velocity": 1}},
             "elements": {"floor": {"type": "expression", "slip": "x'",
                                    "laws": {"slip": {"type": "weakening", "mu": 0.5, "load": 20}}}},
             "simulation": {"step": 1e-5, "end": 0.1}}
    state = stickslip.build(scene, types=[Weakening]).simulation.run()
    # (1 + v) v' = -μ N / m: v + v²/2 = 3/2 - 5 t
    assert state.u[0] == pytest.approx(-1 + math.sqrt(1 + 2 * (1.5 - 5 * state.t)), abs=1e-4)
    assert state.mode[0] != 0


def test_fork_and_threads():
    scenes = [stickslip.build(two_points(), types=[Spring])]
    scenes.append(scenes[0].fork())
    threads = [threading.Thread(target=scene.simulation.run) for scene in scenes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scenes[0].simulation.save() == scenes[1].simulation.save()


def test_types_go_with_their_scenes():
    from stickslip import _extend
    gc.collect()
    kinds, objects = len(_extend._kinds), len(_extend._objects)
    for _ in range(5):
        stickslip.build(two_points(), types=[Spring]).simulation.step()
    gc.collect()
    assert (len(_extend._kinds), len(_extend._objects)) == (kinds, objects)
