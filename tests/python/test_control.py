"""Inputs, outputs and controllers: against numbers that are computed step by step, and the same law in three languages."""
import math
import subprocess

import numpy as np
import pytest
import stickslip
from scenes import BUILD

MASS, K_P, K_I, K_D, PERIOD = 2.0, 60.0, 40.0, 20.0, 0.02

SIMULATIONS = {
    "constant": {"type": "constant", "step": 1e-3},
    "constant_between": {"type": "constant", "step": 7e-4},
    "event_driven": {"type": "event_driven", "output": 0.05},
    "hybrid": {"type": "hybrid", "output": 0.05},
    "augmented": {"type": "augmented", "step_max": 0.02, "step_min": 1e-8},
    "regula_falsi": {"type": "augmented", "step_max": 0.02, "step_min": 1e-8, "localize": "regula_falsi"},
}


def scene(simulation="constant", **more):
    """A mass on a line with a force that is an input."""
    return {
        "name": "cart",
        "parameters": {"period": PERIOD},
        "inputs": {"force": {"range": [-1000, 1000], "unit": "N"}},
        "systems": {"cart": {"type": "point", "dim": 1, "mass": MASS, "position": 0.1}},
        "forces": {"motor": {"type": "load", "on": ["x"], "force": "force"}},
        "simulation": dict(SIMULATIONS[simulation], end=1),
    } | more


def pd_samples(delay, end):
    """Position and velocity of the mass under PD control, sampled and held: parabolas between the instants."""
    x, v, force, t, k, waiting = 0.1, 0.0, 0.0, 0.0, 0, []
    while True:
        while waiting and waiting[0][0] <= t + 1e-12:
            force = waiting.pop(0)[1]
        if abs(t - k * PERIOD) < 1e-12:
            waiting.append((t + delay, -K_P * x - K_D * v))
            k += 1
            if delay == 0:
                force = waiting.pop()[1]
        if t >= end - 1e-12:
            return x, v
        stop = min([k * PERIOD, end] + [due for due, _ in waiting])
        h = stop - t
        x, v, t = x + v * h + force / MASS * h * h / 2, v + force / MASS * h, stop


# ---- Inputs ----


@pytest.mark.parametrize("simulation", SIMULATIONS)
def test_held_and_ramped_inputs_against_parabolas(simulation):
    sim = stickslip.build(scene(simulation)).simulation
    sim.run(until=0.25)
    t, (x,) = sim.t, sim.q  # the step that ends there or later
    assert x == 0.1 and sim.inputs["force"] == 0
    sim.inputs["force"] = 4
    sim.run(until=0.5)
    h = sim.t - t
    assert sim.q[0] == pytest.approx(0.1 + h * h, abs=1e-12)
    t, (x,), (v,) = sim.t, sim.q.copy(), sim.u.copy()
    sim.inputs.ramp("force", -2, t + 0.3)
    assert sim.inputs["force"] == 4
    sim.run()
    end = 1 - t - 0.3
    x_1 = x + v * 0.3 + 0.3**2 / MASS * (4 / 3 - 2 / 6)
    v_1 = v + 0.3 * (4 - 2) / 2 / MASS
    assert sim.inputs["force"] == -2
    assert sim.u[0] == pytest.approx(v_1 - end, abs=1e-9)
    exact = 1e-9 if "constant" not in simulation else 3e-7  # Moreau's steps take the mean force of a ramp, not its moment
    assert sim.q[0] == pytest.approx(x_1 + v_1 * end - end**2 / 2, abs=exact)


def test_what_an_input_may_be():
    sim = stickslip.build(scene()).simulation
    assert list(sim.inputs) == ["force"] and len(sim.inputs) == 1 and "force" in sim.inputs
    info = sim.model.inputs["force"]
    assert (info.unit, info.value, info.min, info.max, info.controller) == ("N", 0, -1000, 1000, None)
    with pytest.raises(stickslip.UnknownNameError, match=r"there is no input 'forze'; did you mean 'force'\? \(inputs: force\)"):
        sim.inputs["forze"] = 1
    for value in (math.nan, math.inf):
        with pytest.raises(stickslip.InputError, match="is not a finite number"):
            sim.inputs["force"] = value
    with pytest.raises(stickslip.InputError, match="input 'force': 1001 is not in its range, -1000 … 1000"):
        sim.inputs["force"] = 1001
    with pytest.raises(stickslip.InputError, match="it cannot reach a value at t = 0 s"):
        sim.inputs.ramp("force", 1, 0)
    sim.step()
    assert sim.q[0] == 0.1 and sim.inputs["force"] == 0


@pytest.mark.parametrize(("inputs", "message"), [
    ({"force": {"value": 5, "range": [0, 1]}}, "'value' is 5, its range is 0 … 1"),
    ({"force": {"range": [1]}}, "'range' wants two numbers"),
    ({"force": {"range": [1, 1]}}, "'range' wants two numbers"),
    ({"force": {"value": "nan"}}, "unknown name 'nan'"),
    ({"force": {}, "x": {}}, "the coordinate 'x' has the name of an input"),
    ({"force": {}, "period": {}}, "a parameter has that name"),
    ({"force": {}, "t": {}}, "another column of the record has that name"),
    ({"force": {}, "sin": {}}, "'sin' is a function"),
    ({"force": {"unt": "N"}}, "unknown key 'unt'; did you mean 'unit'"),
])
def test_inputs_that_are_refused(inputs, message):
    with pytest.raises(stickslip.Error, match=message):
        stickslip.build(scene(inputs=inputs))


# ---- Outputs ----


def test_outputs_are_what_they_say():
    bodies = {
        "systems": {"ball": {"type": "body", "position": [0, 0, 0.1]}, "cart": {"type": "point", "dim": 1, "mass": 2}},
        "shapes": {"ball": {"type": "sphere", "radius": 0.1, "on": "ball", "density": 1000, "material": "steel"},
                   "floor": {"type": "plane", "material": "steel"}},
        "elements": {"contact": {"type": "contact", "between": ["steel", "steel"],
                                 "laws": {"gap": {"type": "unilateral"}, "slip": {"type": "friction", "mu": 0.5}}},
                     "stop": {"type": "expression", "gap": "1 - cart.x", "laws": {"gap": {"type": "unilateral"}}}},
        "forces": {"weight": {"type": "gravity", "acceleration": [0, 0, -9.81], "on": ["ball"]},
                   "motor": {"type": "load", "on": ["cart.x"], "force": "force"}},
        "outputs": {"normal": {"value": "contact.ball.floor.normal"}, "lift": {"value": "contact.floor.ball.z"},
                    "reaction": {"value": "contact.ball.floor.z"}, "points": {"value": "contact.ball.floor.count"},
                    "distance": {"value": "stop.gap.gap", "unit": "m"}, "push": {"value": "stop.gap.force"},
                    "speed": {"value": "stop.gap.gamma"}, "energy": {"value": "energy.kinetic"},
                    "a": {"value": "acceleration.cart.x"}, "twice": {"value": "2*a + force - t"}},
    }
    weight = 1000 * 4 / 3 * math.pi * 1e-3 * 9.81
    sim = stickslip.build(scene(**bodies)).simulation
    sim.inputs["force"] = 6
    sim.run(until=0.5)
    out = dict(sim.outputs)
    assert list(out) == list(bodies["outputs"]) and sim.model.outputs["distance"] == "m"
    assert out["normal"] == pytest.approx(weight, rel=1e-9) and out["points"] == 1
    assert out["lift"] == pytest.approx(weight, rel=1e-9) and out["reaction"] == pytest.approx(-weight, rel=1e-9)
    x, v = 3 * sim.t**2 / 2, 3 * sim.t
    assert out["distance"] == pytest.approx(1 - x, abs=1e-9) and out["speed"] == pytest.approx(-v, abs=1e-9)
    assert out["energy"] == pytest.approx(v * v, rel=1e-9) and out["a"] == pytest.approx(3, rel=1e-9)
    assert out["twice"] == pytest.approx(6 + 6 - sim.t, rel=1e-9) and out["push"] == 0
    sim.run()
    assert sim.outputs["push"] == pytest.approx(6, rel=1e-9) and sim.outputs["a"] == pytest.approx(0, abs=1e-9)
    with pytest.raises(stickslip.UnknownNameError, match="there is no output 'lifd'; did you mean 'lift'"):
        sim.outputs["lifd"]  # pylint: disable=pointless-statement


@pytest.mark.parametrize(("outputs", "message"), [
    ({"e": {"value": "y"}}, "unknown name 'y'"),
    ({"e": {"value": "e"}}, "unknown name 'e'"),
    ({"e": {"value": "f"}, "f": {"value": "x"}}, "unknown name 'f'"),
    ({"force": {"value": "x"}}, "a parameter, an input, a coordinate or another column of the record has that name"),
    ({"e": {}}, "'value' is missing"),
])
def test_outputs_that_are_refused(outputs, message):
    with pytest.raises(stickslip.Error, match=message):
        stickslip.build(scene(outputs=outputs))


def test_joints_have_forces_and_angles():
    """A joint without laws in the scene: its forces, and the angle and speed of rows that obey no law."""
    bob = {"type": "body", "mass": 2, "inertia": [1, 1, 1]}
    pendulum = {
        "inputs": {}, "forces": {"weight": {"type": "gravity", "acceleration": [0, 0, -9.81]}},
        "systems": {"bob": bob | {"position": [0, 0, -1]}, "wheel": bob | {"velocity": [0, 0, 0, 0, 3, 0]}},
        "elements": {"pin": {"type": "spherical", "system": "bob", "point": [0, 0, 1]},
                     "hinge": {"type": "revolute", "system": "wheel", "axis": [0, 1, 0]}},
        "outputs": {"pull": {"value": "pin.gap.3.force"}, "angle": {"value": "hinge.angle.gap"},
                    "turn": {"value": "hinge.turn.gamma"}},
    }
    sim = stickslip.build(scene(**pendulum)).simulation
    sim.run(until=0.1)
    assert abs(sim.outputs["pull"]) == pytest.approx(2 * 9.81, rel=1e-9)
    assert abs(sim.outputs["angle"]) == pytest.approx(3 * sim.t, abs=1e-6)  # turns are summed up
    assert abs(sim.outputs["turn"]) == pytest.approx(3, rel=1e-9)


# ---- Controllers ----


@pytest.mark.parametrize("delay", [0, 0.005, PERIOD, 0.05])
@pytest.mark.parametrize("simulation", SIMULATIONS)
def test_sampled_pd_control_against_parabolas(simulation, delay):
    pd = {"type": "expression", "period": PERIOD, "delay": delay, "inputs": ["force"], "values": [f"-{K_P}*x - {K_D}*x'"]}
    sim = stickslip.build(scene(simulation, controllers={"pd": pd})).simulation
    sim.run()
    x, v = pd_samples(delay, 1)
    assert sim.q[0] == pytest.approx(x, abs=1e-12) and sim.u[0] == pytest.approx(v, abs=1e-12)


EXPRESSION = {"type": "expression", "period": "period", "inputs": ["force"], "values": [f"{K_P}*error + {K_I}*total"],
              "states": ["total"], "next": ["total + period*error"]}
PLUGIN = {"type": "pi_control", "period": "period", "error": "error", "input": "force", "proportional": K_P, "integral": K_I,
          "sum_period": "period"}


class PythonPI(stickslip.Controller):
    """The same in Python."""

    name = "python_pi"
    observes, inputs, initial = ["error"], ["force"], [0.0]
    gain = stickslip.Number(unit="N/m")

    def sample(self, t, y, x):
        value = self.gain * y[0] + K_I * x[0]
        x[0] += PERIOD * y[0]
        return [value]


@stickslip.controller(observes=["error"], inputs=["force"], initial=[0.0])
def plain_pi(t, y, x):
    value = K_P * y[0] + K_I * x[0]
    x[0] += PERIOD * y[0]
    return value


LAWS = {
    "expression": EXPRESSION,
    "plugin": PLUGIN,
    "class": {"type": "python_pi", "period": "period", "gain": K_P},
    "function": {"type": "plain_pi", "period": "period"},
}


def controlled(law, simulation, delay=0.0):
    """With friction, so that it sticks and slips."""
    given = scene(simulation, controllers={"pi": LAWS[law] | {"delay": delay}}, outputs={"error": {"value": "0.05*sin(8*t) - x"}})
    given["elements"] = {"floor": {"type": "expression", "slip": "x'", "laws": {"slip": {"type": "friction", "bound": 4}}}}
    given["forces"]["damping"] = {"type": "load", "on": ["x"], "force": f"-{K_D}*x'"}
    if law == "plugin":
        given["plugins"] = [str(BUILD / "examples" / "pi_control.so")]
    return stickslip.build(given, types=[PythonPI, plain_pi], allow_plugins=True)


@pytest.mark.parametrize("delay", [0, 0.007])
@pytest.mark.parametrize("simulation", SIMULATIONS)
def test_the_same_law_gives_the_same_bytes(simulation, delay):
    states = {}
    for law in LAWS:
        sim = controlled(law, simulation, delay).simulation
        sim.run()
        states[law] = sim.save()
    assert sim.state.statistics.switches > 1
    assert all(state == states["expression"] for state in states.values())


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("simulation", SIMULATIONS)
def test_a_run_that_is_taken_up_in_the_middle(simulation, law):
    """In the middle of a delay; saved, restored elsewhere, and forked."""
    whole = controlled(law, simulation, 0.05).simulation
    whole.run()
    half = controlled(law, simulation, 0.05)
    half.simulation.run(until=0.31)
    saved = half.simulation.save()
    other = controlled(law, simulation, 0.05).simulation
    other.restore(saved)
    other.run()
    assert other.save() == whole.save()
    fork = half.fork()
    fork.simulation.run()
    assert fork.simulation.save() == whole.save()
    half.simulation.run()
    assert half.simulation.save() == whole.save()


def test_inputs_set_by_hand_are_part_of_the_state():
    scenes = [stickslip.build(scene("event_driven")) for _ in range(2)]
    first, second = (s.simulation for s in scenes)
    first.run(until=0.3)
    first.inputs.ramp("force", 3, 0.8)
    second.restore(first.save())
    assert second.inputs["force"] == 0
    for sim in (first, second):
        sim.run()
    assert first.save() == second.save() and first.inputs["force"] == 3


def test_a_resumed_record_is_the_whole_one(tmp_path):
    pd = {"type": "expression", "period": PERIOD, "delay": 0.03, "inputs": ["force"], "values": [f"-{K_P}*x - {K_D}*x'"]}
    given = scene("event_driven", controllers={"pd": pd}, outputs={"power": {"value": "force*x'", "unit": "W"}})
    whole = stickslip.build(given).run(tmp_path / "whole.h5")
    part = scene("event_driven", controllers={"pd": pd}, outputs={"power": {"value": "force*x'", "unit": "W"}})
    part["simulation"]["end"] = 0.5  # an output instant, and one of the controller
    stickslip.build(part).run(tmp_path / "part.h5")
    subprocess.run([BUILD / "bin" / "stickslip", "resume", "-q", "--until", "1", tmp_path / "part.h5"], check=True)
    resumed = stickslip.Record(tmp_path / "part.h5")
    for name in ("t", "cart.x", "cart.x'", "force", "power"):
        assert np.array_equal(whole[name], resumed[name]), name
    assert np.array_equal(whole["power"], whole["force"] * whole["cart.x'"])


def test_controllers_saturate_at_the_range():
    pd = {"type": "expression", "period": PERIOD, "inputs": ["force"], "values": ["-1e6*x"]}
    sim = stickslip.build(scene(controllers={"pd": pd})).simulation
    sim.step()
    assert sim.inputs["force"] == -1000
    with pytest.raises(stickslip.InputError, match="input 'force': the controller 'pd' sets it"):
        sim.inputs["force"] = 0
    assert sim.model.inputs["force"].controller == "pd" and sim.model.controllers == {"pd": "expression"}


def test_controllers_of_one_instant_see_the_same_inputs():
    both = {"a": {"type": "expression", "period": 0.1, "inputs": ["force"], "values": ["speed + 1"]},
            "b": {"type": "expression", "period": 0.1, "inputs": ["speed"], "values": ["force + 1"]}}
    given = scene(inputs={"force": {"value": 10}, "speed": {"value": 20}}, controllers=both)
    sim = stickslip.build(given).simulation
    sim.step()
    assert (sim.inputs["force"], sim.inputs["speed"]) == (21, 11)


@pytest.mark.parametrize(("controllers", "message"), [
    ({"c": {"type": "expression", "inputs": ["force"], "values": ["x"]}}, "'period' is missing"),
    ({"c": {"type": "expression", "period": 0, "inputs": ["force"], "values": ["x"]}}, "'period' must be"),
    ({"c": {"type": "expression", "period": 1, "delay": -1, "inputs": ["force"], "values": ["x"]}}, "'delay' must be"),
    ({"c": {"type": "expression", "period": 1, "inputs": ["forze"], "values": ["x"]}}, "no input 'forze'; did you mean 'force'"),
    ({"c": {"type": "expression", "period": 1, "inputs": ["force"], "values": ["x", "x"]}}, "'values' wants a list of 1"),
    ({"c": {"type": "expression", "period": 1, "inputs": ["force"], "values": ["y"]}}, "unknown name 'y'"),
    ({"c": {"type": "expression", "period": 1, "inputs": ["force"], "values": ["z"], "states": ["z"]}}, "'next' wants a list"),
    ({"c": {"type": "expression", "period": 1, "inputs": ["force"], "values": ["z"], "states": ["z"], "next": ["z"],
            "initial": [1, 2]}}, "'initial' has 2 numbers for 1 states"),
    ({"c": {"type": "expression", "period": 1, "inputs": ["force"], "values": ["x"], "states": ["force"], "next": ["x"]}},
     "the name 'force' of a state is in use already"),
    ({"c": {"type": "expression", "period": 1, "inputs": ["force"], "values": ["x"], "states": ["x"], "next": ["x"]}},
     "the name 'x' of a state is in use already"),
    ({"c": {"type": "expression", "period": 1, "inputs": ["force"], "values": ["x"]},
      "d": {"type": "expression", "period": 1, "inputs": ["force"], "values": ["x"]}}, "is set by controller 'c' already"),
    ({"c": {"type": "samples", "period": 1, "inputs": ["force"], "table": [[0, 1]]}}, "'period' is not for this type"),
    ({"c": {"type": "samples", "inputs": ["force"]}}, "give either 'file' or 'table'"),
    ({"c": {"type": "samples", "inputs": ["force"], "table": [[0, 1], [0, 2]]}}, "times must increase"),
    ({"c": {"type": "samples", "inputs": ["force"], "table": [[0, 1, 2]]}}, "a time and 1 values are wanted"),
    ({"c": {"type": "samples", "inputs": ["force"], "table": [[0, 5000]]}}, "is not in the range of input 'force'"),
])
def test_controllers_that_are_refused(controllers, message):
    with pytest.raises(stickslip.Error, match=message):
        stickslip.build(scene(controllers=controllers))


def test_a_controller_that_fails():
    @stickslip.controller(observes=["x"], inputs=["force"])
    def broken(t, y, x):
        if t > 0.1:
            raise ZeroDivisionError("no more")
        return math.nan if t > 0.05 else 0

    sim = stickslip.build(scene(controllers={"b": {"type": "broken", "period": 0.03}}), types=[broken]).simulation
    with pytest.raises(stickslip.NonFiniteError, match="controller 'b': it sets the input 'force' to a number that is not finite"):
        sim.run()
    assert sim.t == pytest.approx(0.06)
    sim = stickslip.build(scene(controllers={"b": {"type": "broken", "period": 0.11}}), types=[broken]).simulation
    with pytest.raises(ZeroDivisionError, match="no more"):
        sim.run()
    assert sim.t == pytest.approx(0.11)


# ---- Tables ----

TIMES, VALUES = np.array([0.1, 0.25, 0.4, 0.93]), np.array([2.0, -1.0, 3.0, 0.0])


def moved(linear):
    """End of the motion under the table, by the moments of the force."""
    x, v, h, t = 0.1, 0.0, 1e-5, 0.0
    for k in range(100000):
        t = (k + 0.5) * h
        i = int(np.searchsorted(TIMES, t)) - 1
        force = 0.0 if i < 0 else np.interp(t, TIMES, VALUES) if linear else VALUES[i]
        x, v = x + v * h + force / MASS * h * h / 2, v + force / MASS * h
    return x, v


@pytest.mark.parametrize("between", ["held", "linear"])
@pytest.mark.parametrize("simulation", ["constant_between", "event_driven", "augmented"])
def test_tables_from_the_scene_and_from_files(tmp_path, simulation, between):
    rows = np.column_stack([TIMES, VALUES]).tolist()
    table = {"type": "samples", "inputs": ["force"], "table": rows, "between": between}
    sim = stickslip.build(scene(simulation, controllers={"table": table})).simulation
    sim.run()
    x, v = moved(between == "linear")
    assert sim.u[0] == pytest.approx(v, abs=1e-9) and sim.q[0] == pytest.approx(x, abs=3e-6)
    lines = ["# measured", 'time, "load"', ""] + [f" {t} ,{value}\r" for t, value in rows]
    (tmp_path / "load.csv").write_text("\n".join(lines))
    file = {"type": "samples", "inputs": ["force"], "file": "load.csv", "time": "time", "columns": ["load"], "between": between}
    given = scene(simulation, controllers={"table": file})
    read = stickslip.build(given, folder=tmp_path).simulation
    read.run()
    assert read.save() == sim.save()


@pytest.mark.parametrize(("text", "message"), [
    ("t,force\n0,1\n1,x\n", "line 3: 'x' is not a finite number"),
    ("t,force\n0,1\n1\n", "line 3: values are missing"),
    ("t,torque\n0,1\n", "has no column 'force' in its first line: t,torque"),
    ("t,force\n", "'file' has no samples"),
    ("", "'file' has no samples"),
    ("t,force\n0,nan\n", "is not a finite number"),
])
def test_files_that_are_refused(tmp_path, text, message):
    (tmp_path / "load.csv").write_text(text)
    table = {"type": "samples", "inputs": ["force"], "file": "load.csv"}
    with pytest.raises(stickslip.InputError, match=message):
        stickslip.build(scene(controllers={"table": table}), folder=tmp_path)


def test_records_keep_the_file(tmp_path):
    (tmp_path / "load.csv").write_text("t,force\n0,1\n0.5,2\n0.8,0\n")
    given = scene("event_driven", controllers={"table": {"type": "samples", "inputs": ["force"], "file": "load.csv"}})
    given["simulation"].update(absolute=1e-12, slip=1e-8, accumulation=1e-7)  # sizes of the scene would depend on its end
    stickslip.build(given, folder=tmp_path).run(tmp_path / "whole.h5")
    given["simulation"]["end"] = 0.25  # an output instant
    stickslip.build(given, folder=tmp_path).run(tmp_path / "part.h5")
    (tmp_path / "load.csv").unlink()
    subprocess.run([BUILD / "bin" / "stickslip", "resume", "-q", "--until", "1", tmp_path / "part.h5"], check=True)
    whole, part = stickslip.Record(tmp_path / "whole.h5"), stickslip.Record(tmp_path / "part.h5")
    assert np.array_equal(whole["force"], part["force"]) and np.array_equal(whole["cart.x"], part["cart.x"])
