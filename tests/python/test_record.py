"""Records from Python."""
import gc
import os
import pathlib
import re

import h5py
import numpy as np
import pytest
import stickslip
from scenes import BALL, SOURCE, WOODPECKER


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "toy.h5"
    return stickslip.load(WOODPECKER, settings={"simulation.end": 0.1, "record.every": 7}).run(path)


def test_columns_are_those_of_the_file(record):
    with h5py.File(record.path) as file:  # while the record is open, too
        t, q, names = file["time"][:], file["q"][:], list(file["names/q"].asstr())
    values = record.array()
    assert values.shape == (len(record), len(record.columns)) and names == record.columns[2:5]
    assert np.array_equal(record.t, t) and np.array_equal(values[:, 0], t)
    for i, name in enumerate(("toy.y", "toy.phi_M", "toy.phi_S")):
        assert np.array_equal(record[name], q[:, i])
        assert np.array_equal(values[:, record.columns.index(name)], q[:, i])


def test_expressions(record):
    assert np.array_equal(record["abs(y') + 1"], np.abs(record["toy.y'"]) + 1)
    with pytest.raises(stickslip.Error, match="beak.gapp"):
        record["beak.gapp"]  # pylint: disable=pointless-statement


def test_parts_of_the_states(record):
    whole = record.array()
    assert np.array_equal(record.array(3, 5), whole[3:8])
    assert record.array(0, 0).shape == (0, len(record.columns))
    with pytest.raises(stickslip.InputError, match="the record has"):
        record.array(len(record), 1)


def test_events(record):
    seen = []
    stickslip.load(WOODPECKER, settings={"simulation.end": 0.1}).simulation.run(observe=lambda step: seen.extend(step.switches))
    assert [(e.t, e.law, e.before, e.after) for e in record.events] == [tuple(s) for s in seen]
    assert len(seen) == record.statistics.switches > 3
    assert all(e.P >= 0 for e in record.events)


def test_what_it_says(record):
    assert record.name == "woodpecker" and record.finished and record.note == "" and record.version == stickslip.__version__
    assert record.units["t"] == "s" and record.units["energy.kinetic"] == "J"
    assert record.statistics.steps == 10000 and record.scene["record"]["every"] == 7
    assert set(record.parameters) == set(stickslip.load(WOODPECKER).model.parameters)
    assert "10000 steps" in repr(record)


def test_contacts():
    scene = stickslip.load(SOURCE / "scenes" / "card_house.yaml")
    seen = []
    record = scene.run(until=0.01, observe=lambda step: seen.append(step.state.contacts.copy()))
    rows = [record.contacts(i) for i in range(-1, 1)]
    assert np.array_equal(rows[0]["n"], seen[-1]["n"]) and len(rows[0]) > 3
    assert {record.shapes[i] for i in rows[0]["a"]} <= set(record.shapes)
    with pytest.raises(IndexError):
        record.contacts(len(record))


def test_temporary_record_goes():
    record = stickslip.build(BALL).run()
    path = record.path
    assert os.path.exists(path) and len(record) == 2001
    del record
    gc.collect()
    assert not os.path.exists(pathlib.Path(path).parent)


def test_observed_run_gives_the_same_record(tmp_path):
    stickslip.build(BALL).run(tmp_path / "a.h5")
    stickslip.build(BALL).run(tmp_path / "b.h5", observe=lambda step: None)
    one, two = stickslip.Record(tmp_path / "a.h5"), stickslip.Record(tmp_path / "b.h5")
    assert np.array_equal(one.array(), two.array(), equal_nan=True) and one.events == two.events


def test_resume(tmp_path):
    whole = stickslip.load(WOODPECKER, settings={"simulation.end": 0.05}).run(tmp_path / "whole.h5")
    part = stickslip.load(WOODPECKER, settings={"simulation.end": 0.05}).run(tmp_path / "part.h5", until=0.02)
    assert not part.finished
    end = stickslip.load(WOODPECKER, settings={"simulation.end": 0.05}).resume(part.path, tmp_path / "end.h5")
    assert end.finished and np.array_equal(end.array(), whole.array(), equal_nan=True) and end.events == whole.events
    assert len(part) < len(end)


def test_run_that_fails_keeps_its_record(tmp_path):
    def observe(step):
        if step.t > 0.1:
            raise RuntimeError("the watcher fell asleep")
    with pytest.raises(RuntimeError):
        stickslip.build(BALL).run(tmp_path / "a.h5", observe=observe)
    record = stickslip.Record(tmp_path / "a.h5")
    assert record.note == "the watcher fell asleep" and not record.finished and record.t[-1] == pytest.approx(0.101)


def test_interrupted_run(tmp_path):
    def observe(step):
        if step.t > 0.1:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        stickslip.build(BALL).run(tmp_path / "a.h5", observe=observe)
    assert stickslip.Record(tmp_path / "a.h5").note == "interrupted"


def test_run_that_is_refused_leaves_the_old_record(tmp_path):
    path = tmp_path / "a.h5"
    path.write_bytes(b"old")
    with pytest.raises(OSError):
        stickslip.build(BALL).run(tmp_path / "nowhere" / "a.h5")

    class Refused(stickslip.Force):
        """A force that cannot be."""
        name = "refused"
        on = stickslip.OnSystem()

        def force(self, t, q, u):
            raise stickslip.UnsupportedError("not on a Sunday")

    scene = {**BALL, "forces": {"none": {"type": "refused", "on": "ball"}}}
    with pytest.raises(stickslip.UnsupportedError, match="Sunday"):
        stickslip.build(scene, types=[Refused]).run(path)
    assert path.read_bytes() == b"old" and sorted(os.listdir(tmp_path)) == ["a.h5"]


def test_no_record():
    with pytest.raises(stickslip.FileError, match="nowhere.h5"):
        stickslip.Record("nowhere.h5")
    assert issubclass(stickslip.FileError, OSError)


def test_csv(record, tmp_path):
    record.to_csv(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(record)
    assert np.array_equal(np.array(lines[5].split(","), float), record.array(4, 1)[0], equal_nan=True)


def test_pandas(record):
    pytest.importorskip("pandas")
    frame = record.to_pandas()
    assert np.array_equal(frame["toy.y"].to_numpy(), record["y"]) and frame.index.name == "t"


def test_xarray(record):
    pytest.importorskip("xarray")
    data = record.to_xarray()
    assert np.array_equal(data["toy.y"].values, record["y"]) and data["energy.kinetic"].attrs["units"] == "J"


def test_page(record, monkeypatch):
    viewer = pathlib.Path(os.environ["STICKSLIP_BUILD"]) / "share" / "stickslip" / "viewer.html"
    monkeypatch.setenv("STICKSLIP_VIEWER", "/nowhere.html")
    shown = record._repr_html_()
    assert shown.startswith("<table>") and "/nowhere.html" in shown and "10000" in shown
    with pytest.raises(stickslip.PageError, match="nowhere"):
        record.page()
    monkeypatch.delenv("STICKSLIP_VIEWER")
    if not viewer.exists():
        pytest.skip("there is no viewer")
    page = record.page()
    assert page.lstrip().lower().startswith("<!doctype html") and "woodpecker" in page
    shown = record._repr_html_()
    assert re.match(r'<iframe srcdoc="&lt;!doctype', shown, flags=re.I) and shown.count('"') < 10
