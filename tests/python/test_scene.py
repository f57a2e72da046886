"""Scenes, models, states and simulations from Python."""
import copy
import gc
import json
import logging
import threading
import time

import numpy as np
import pytest
import stickslip
from scenes import BALL, SOURCE, WOODPECKER


def falling(**changes):
    return {**{k: v for k, v in BALL.items() if k != "elements"}, **changes}


# ---- Making scenes


def test_dict_text_and_file_are_the_same_motion(tmp_path):
    file = tmp_path / "ball.yaml"
    file.write_text(json.dumps(BALL), encoding="utf-8")
    scenes = [stickslip.build(BALL), stickslip.parse(json.dumps(BALL)), stickslip.load(file), stickslip.build(stickslip.read(file))]
    states = [scene.simulation.run().save() for scene in scenes]
    assert states[0] == states[1] == states[2] == states[3]


def test_every_scene_is_the_same_as_dict():
    for path in sorted((SOURCE / "scenes").glob("*.yaml")):
        if path.name in ("funnel.yaml", "funnel_boxes.yaml", "heap.yaml", "mixer.yaml", "shaken_box.yaml", "closed_box.yaml"):
            continue  # long to build
        one, two = stickslip.load(path), stickslip.build(stickslip.read(path), folder=path.parent)
        assert {**one.to_dict(), "name": ""} == {**two.to_dict(), "name": ""}, path
        for _ in range(3):
            one.simulation.step()
            two.simulation.step()
        assert one.simulation.save() == two.simulation.save(), path


def test_dict_of_a_text():
    found = stickslip.read_text("systems: {a: {on: no, mass: .5, position: [1, 2e-3], f: 2*x}}\nok: true\nnothing: ~")
    assert found == {"systems": {"a": {"on": "no", "mass": 0.5, "position": [1, 2e-3], "f": "2*x"}}, "ok": True, "nothing": None}


def test_to_dict_and_back():
    scene = stickslip.load(WOODPECKER)
    again = stickslip.build(scene.to_dict())
    assert again.to_dict() == scene.to_dict()
    for _ in range(100):
        scene.simulation.step()
        again.simulation.step()
    assert again.simulation.save() == scene.simulation.save()


def test_settings_and_parameters():
    scene = stickslip.build(BALL, parameters={"restitution": np.float64(0.25)},
                            settings={"simulation.end": 0.5, "systems.ball.position": [2]})
    assert scene.model.parameters == {"restitution": 0.25}
    assert scene.simulation.end == 0.5
    assert scene.simulation.q[0] == 2.0
    with pytest.raises(stickslip.Error, match="restitutoin.*restitution"):
        stickslip.build(BALL, parameters={"restitutoin": 0.25})


def test_numpy_in_dicts():
    scene = copy.deepcopy(BALL)
    scene["systems"]["ball"].update(mass=np.float32(0.5), position=np.array([1.5]), dim=np.int64(1))
    assert stickslip.build(scene).simulation.q[0] == 1.5


@pytest.mark.parametrize("value, says", [(float("nan"), r"systems\.ball\.mass: not a number"), (object(), r"systems\.ball\.mass: .* object")])
def test_values_that_no_scene_has(value, says):
    scene = copy.deepcopy(BALL)
    scene["systems"]["ball"]["mass"] = value
    with pytest.raises(stickslip.InputError, match=says):
        stickslip.build(scene)


def test_failure_says_where():
    with pytest.raises(stickslip.InputError) as caught:
        stickslip.parse("systems:\n  ball: {type: point, dim: 1, mas: 1}\nsimulation: {end: 1, step: 1}\n", name="b.yaml")
    error = caught.value
    assert (error.file, error.line, error.status) == ("b.yaml", 2, "bad input") and error.column > 10
    assert str(error).startswith(f"b.yaml:2:{error.column}: ") and "mass" in str(error)
    assert isinstance(error, ValueError)


def test_failure_in_a_dict_shows_the_line():
    scene = copy.deepcopy(BALL)
    scene["systems"]["ball"]["mass"] = "2*mm"
    with pytest.raises(stickslip.Error) as caught:
        stickslip.build(scene, name="mine")
    assert caught.value.file == "mine" and '"mass": "2*mm"' in str(caught.value)


def test_missing_file():
    with pytest.raises(FileNotFoundError):
        stickslip.load("nowhere.yaml")


def test_unknown_type_is_an_unknown_name():
    with pytest.raises(stickslip.Error, match="poimt.*point"):
        stickslip.build(falling(systems={"ball": {"type": "poimt"}}))


def test_warnings_are_logged(caplog):
    scene = copy.deepcopy(BALL)
    scene["systems"]["ball"]["position"] = -0.1
    with caplog.at_level(logging.WARNING, logger="stickslip"):
        stickslip.build(scene)
    assert "floor.gap" in caplog.text
    told = []
    stickslip.build(scene, log=lambda level, message: told.append((level, message)))
    assert told and told[0][0] == logging.WARNING and "floor.gap" in told[0][1]


def test_exception_of_a_log():
    scene = copy.deepcopy(BALL)
    scene["systems"]["ball"]["position"] = -0.1

    def log(level, message):
        raise KeyError(message)
    with pytest.raises(KeyError, match="floor.gap"):
        stickslip.build(scene, log=log)


# ---- Models piece by piece


def model():
    made = stickslip.Model()
    made.define(m=0.1)
    made.add({"systems": {"ball": {"type": "point", "dim": 1, "mass": "m", "position": 1}}})
    made.add({"elements": BALL["elements"], "parameters": BALL["parameters"]})
    made.add("forces: {weight: {type: gravity, acceleration: -9.81}}")
    return made


def test_model_is_the_same_motion():
    scene = model().scene({"simulation": BALL["simulation"]})
    assert scene.simulation.run().save() == stickslip.build(BALL).simulation.run().save()
    assert scene.text == ""
    with pytest.raises(stickslip.InputError, match="no text"):
        scene.to_dict()


def test_model_failure_says_where_and_changes_nothing():
    made = model()
    with pytest.raises(stickslip.InputError) as caught:
        made.add("systems:\n  b: {type: point, dim: 1}\n", name="part")
    assert (caught.value.file, caught.value.line) == ("part", 2)
    assert made.seal().sizes.n_systems == 1
    with pytest.raises(stickslip.InputError, match="sealed"):
        made.add("systems: {c: {type: point, dim: 1, mass: 1}}")


def test_model_outlives_what_made_it():
    scene = model().scene({"simulation": BALL["simulation"]})
    gc.collect()
    q = scene.simulation.run().q
    del scene
    gc.collect()
    assert abs(q[0]) < 1e-3


def test_what_a_model_has():
    info = stickslip.load(WOODPECKER).model
    assert info.q_names == ["toy.y", "toy.phi_M", "toy.phi_S"]
    assert [s.name for s in info.systems] == ["toy"] and info.systems[0].q == slice(0, 3)
    assert len(info.laws) == info.sizes.n_laws == 6
    assert {law.words for law in info.laws} >= {("closed", "open"), ("stick", "slip")}
    rows = [i for law in info.laws for i in range(law.rows.start, law.rows.stop)]
    assert rows == list(range(info.sizes.n_rows))


# ---- States


def test_free_fall():
    """Moreau's midpoint scheme is exact for constant acceleration."""
    simulation = stickslip.build(falling()).simulation
    state = simulation.run()
    t = simulation.end
    assert state.u[0] == pytest.approx(-9.81 * t, rel=1e-11)
    assert state.q[0] == pytest.approx(1 - 9.81 * t * t / 2, rel=1e-11)
    energy = simulation.energy()
    assert energy.kinetic == pytest.approx(0.05 * (9.81 * t) ** 2)
    assert energy.kinetic + energy.potential == pytest.approx(0.1 * 9.81 * 1.0)


def test_arrays_are_views():
    simulation = stickslip.build(BALL).simulation
    simulation.q[0] = 5.0
    assert simulation.state.q[0] == 5.0 and simulation.q is simulation.state.q
    simulation.step()
    assert simulation.q[0] == pytest.approx(5.0, abs=1e-4)
    with pytest.raises(ValueError):
        simulation.state.P[...] = 0.0
    with pytest.raises(ValueError):
        simulation.state.mode[0:1] = 1
    copied = simulation.state.copy()
    with pytest.raises(ValueError):
        copied.q[0] = 0.0


def test_views_keep_the_scene():
    q = stickslip.build(falling()).simulation.q
    contacts = stickslip.load(SOURCE / "scenes" / "card_house.yaml").simulation
    contacts.step()
    x = contacts.state.contacts["x"]
    del contacts
    gc.collect()
    for _ in range(20):
        stickslip.build(BALL)
    assert q[0] == 1.0 and np.all(np.isfinite(x)) and len(x) > 4


def test_contacts_agree_with_the_copy():
    simulation = stickslip.load(SOURCE / "scenes" / "card_house.yaml").simulation
    simulation.step()
    kept = simulation.state.copy()
    assert np.array_equal(kept.contacts, simulation.state.contacts)
    assert np.allclose(np.linalg.norm(kept.contacts["n"], axis=1), 1.0)
    before = kept.contacts.copy()
    simulation.step()
    simulation.step()
    assert np.array_equal(kept.contacts, before)


@pytest.mark.parametrize("scene", ["woodpecker", "woodpecker_augmented", "card_house", "ggl_ball"])
def test_save_restore_and_fork_give_the_same_bytes(scene):
    simulation = stickslip.load(SOURCE / "scenes" / f"{scene}.yaml").simulation
    for _ in range(20):
        simulation.step()
    saved, kept = simulation.save(), simulation.state.copy()
    whole = stickslip.load(SOURCE / "scenes" / f"{scene}.yaml")
    whole.simulation.restore(saved)
    fork = whole.fork()
    for _ in range(20):
        simulation.step()
    after = simulation.save()
    simulation.restore(kept)
    for other in (simulation, whole.simulation, fork.simulation):
        assert other.save() == saved
        for _ in range(20):
            other.step()
        assert other.save() == after


def test_fork_of_a_built_model():
    scene = model().scene({"simulation": BALL["simulation"]})
    scene.simulation.run(until=0.7)
    fork = scene.fork()
    assert fork.simulation.t == scene.simulation.t
    assert fork.simulation.run().save() == scene.simulation.run().save()


def test_restore_refuses_other_states():
    with pytest.raises(stickslip.InputError, match="not of this model"):
        stickslip.build(BALL).simulation.restore(stickslip.load(WOODPECKER).simulation.save())
    with pytest.raises(stickslip.InputError, match="not of this model"):
        stickslip.build(BALL).simulation.restore(b"")


# ---- Running


def test_steps_and_their_end():
    simulation = stickslip.build(BALL, settings={"simulation.end": 0.01}).simulation
    assert sum(1 for _ in simulation) == 10
    assert simulation.done and simulation.state.statistics.steps == 10
    with pytest.raises(stickslip.InputError, match="at its end"):
        simulation.step()


def test_observers_see_every_step_and_change_nothing():
    seen, also = [], []
    simulation = stickslip.load(WOODPECKER, settings={"simulation.end": 0.05}).simulation
    simulation.run(observe=[lambda step: seen.append((step.t, len(step.switches), step.report)), also.append],
                   progress=lambda s: s.energy())
    alone = stickslip.load(WOODPECKER, settings={"simulation.end": 0.05}).simulation
    alone.run()
    assert simulation.save() == alone.save()
    assert len(seen) == len(also) == simulation.state.statistics.steps + 1
    assert seen[0] == (0.0, 0, None) and seen[-1][2].converged
    assert sum(n for _, n, _ in seen) == simulation.state.statistics.switches > 0


def test_switches():
    """A ball dropped from 1 m reaches the floor after √(2 h/g)."""
    found = []
    stickslip.build(BALL).simulation.run(observe=lambda step: found.extend(step.switches), until=0.5)
    assert found[0].law == "floor.gap" and (found[0].before, found[0].after) == ("open", "closed")
    assert found[0].t == pytest.approx(np.sqrt(2 / 9.81), abs=2e-3)  # two steps


def test_observer_stops_the_run():
    simulation = stickslip.build(BALL).simulation
    state = simulation.run(observe=lambda step: stickslip.STOP if step.t >= 0.1 else None)
    assert state.t == pytest.approx(0.1) and not simulation.done
    assert simulation.run().t == pytest.approx(2.0)


def test_until_and_progress():
    told = []
    simulation = stickslip.build(BALL).simulation
    assert simulation.run(until=0.5, progress=lambda s: told.append(s.t)).t == pytest.approx(0.5)
    assert told[-1] == pytest.approx(0.5)


def test_exception_of_an_observer():
    def observe(step):
        if step.t > 0.1:
            raise KeyError("mine")
    simulation = stickslip.build(BALL).simulation
    with pytest.raises(KeyError, match="mine"):
        simulation.run(observe=observe)
    assert simulation.run().t == pytest.approx(2.0)


def test_failed_run():
    scene = {**BALL, "solver": {"type": "jorprox", "max_iterations": 1, "tolerance": 1e-14, "relaxation": 0.1}}
    with pytest.raises(stickslip.NotConvergedError) as caught:
        stickslip.build(scene).simulation.run()
    assert "iterations used up" in str(caught.value) and caught.value.status == "not converged"


def test_measure():
    simulation = stickslip.build(BALL).simulation
    gap, gamma = simulation.measure()
    assert (gap[0], gamma[0]) == (1.0, 0.0)
    simulation.run()
    gap, gamma = simulation.measure()
    assert gap[0] == pytest.approx(0.0, abs=1e-2) and gamma[0] == pytest.approx(0.0, abs=1e-12)


# ---- Threads


def states_of(scene, ends, i):
    ends[i] = scene.simulation.run().save()


def test_two_models_in_two_threads():
    one = stickslip.load(WOODPECKER, settings={"simulation.end": 0.1}).simulation.run().save()
    scenes = [stickslip.load(WOODPECKER, settings={"simulation.end": 0.1}) for _ in range(2)]
    ends = [None, None]
    threads = [threading.Thread(target=states_of, args=(scene, ends, i)) for i, scene in enumerate(scenes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends == [one, one]


def test_the_interpreter_runs_while_the_library_computes():
    scene = stickslip.load(WOODPECKER)
    thread = threading.Thread(target=scene.simulation.run)
    counted = 0
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(1e-3)
    assert counted > 5


def test_one_scene_in_two_threads_takes_turns():
    """Whichever thread makes a step, the steps are the same."""
    settings = {"simulation.end": 0.05}
    reference = stickslip.load(WOODPECKER, settings=settings).simulation.run().save()
    simulation = stickslip.load(WOODPECKER, settings=settings).simulation

    def work():
        while not simulation.done:
            try:
                simulation.step()
            except stickslip.InputError as error:
                assert "at its end" in str(error)  # the other thread was there first
    threads = [threading.Thread(target=work), threading.Thread(target=simulation.run), threading.Thread(target=work)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert simulation.save() == reference


def test_scenes_are_collected_in_other_threads():
    """Scenes in cycles, of one thread, that the collector of another one finds."""
    def make():
        for _ in range(20):
            scene = stickslip.build(BALL)
            scene.cycle = [scene, scene.simulation.state, stickslip.Set("disk", 2)]
            scene.simulation.step()
    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        gc.collect()
    gc.collect()
