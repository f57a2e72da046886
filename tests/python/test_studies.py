"""Sweeps and bifurcation diagrams from Python: what closed forms and single runs say."""
import math

import numpy as np
import pytest

import stickslip
from scenes import BALL, SOURCE

FORCED = SOURCE / "scenes" / "impact_forced.yaml"
FALL = {
    "parameters": {"g": 9.81, "h": 3},
    "systems": {"stone": {"type": "point", "dim": 1, "mass": 1, "position": "h"}},
    "forces": {"weight": {"type": "gravity", "acceleration": "-1*g"}},
    "simulation": {"type": "constant", "step": 1e-3, "end": 0.5},
}


def test_a_sweep_of_a_dict(tmp_path):
    g = np.linspace(1, 9, 5)
    s = stickslip.sweep(FALL, {"g": g, "h": "1:2:2"}, results={"x": "last:x", "top": "max:x"}, out=tmp_path / "out", jobs=2)
    assert (s.parameters, s.results, len(s)) == (["g", "h"], ["x", "top"], 10)
    assert s["g"].tolist() == np.repeat(g, 2).tolist() and s["h"].tolist() == [1, 2] * 5
    assert np.allclose(s["x"], s["h"] - s["g"] * 0.125, atol=1e-12) and (s["top"] == s["h"]).all()
    assert s.trusted.all() and not s.failed and (s["steps"] == 500).all()
    assert s.plot.is_file() and (s.folder / "table.h5").is_file()
    again = stickslip.sweep(FALL, {"g": g, "h": "1:2:2"}, results={"x": "last:x", "top": "max:x"}, out=tmp_path / "out")
    assert again.runs == s.runs  # from the journal
    with pytest.raises(KeyError):
        s["y"]


def test_settings_and_failures(tmp_path):
    s = stickslip.sweep(BALL, {"restitution": [0.5, 2.0]}, over={"simulation.step": (1e-3, 2e-3)}, parameters={},
                        settings={"simulation.end": 0.5}, out=tmp_path / "out", plots=False)
    assert s.trusted.tolist() == [True, True, False, False] and set(s.failed) == {2, 3}
    assert "restitution" in s.failed[2] and np.isnan(s["ball.x"][2]) and s.plot is None
    one = stickslip.build(BALL, settings={"simulation.end": 0.5, "simulation.step": 2e-3}).simulation.run()
    assert s["ball.x"][1] == one.q[0]
    latin = stickslip.sweep(FALL, {"g": "1:5:8"}, sample="latin", seed=3, out=tmp_path / "latin")
    assert sorted(((latin["g"] - 1) * 2).astype(int)) == list(range(8))


def test_errors_are_exceptions(tmp_path):
    with pytest.raises(stickslip.InputError, match="no parameter 'gg'"):
        stickslip.sweep(FALL, {"gg": [1, 2]}, out=tmp_path / "out")
    with pytest.raises(stickslip.InputError, match="nothing is varied"):
        stickslip.sweep(FALL, out=tmp_path / "out")
    with pytest.raises(stickslip.InputError, match="give --period"):
        stickslip.bifurcation(FORCED, {"F": [1, 2]}, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_bifurcation_diagram(tmp_path):
    d = stickslip.bifurcation(FORCED, {"F": [1, 2]}, period="2*pi/omega", points=250, skip=248, signals=["x", "x'"],
                              settings={"simulation.output": 10}, lyapunov=True, out=tmp_path / "out")
    size, phase = math.hypot(1 - 2.8**2, 0.28), math.atan2(0.28, 1 - 2.8**2)
    assert d.columns == ["t", "x", "x'"] and [b.carry for b in d.branches] == ["forward"] * 2 + ["backward"] * 2
    assert np.allclose(d["x"], d.at / size * math.cos(phase), atol=1e-8)
    assert all(b.period == 1 and not b.reason for b in d.branches) and d.plot.is_file()
    section = stickslip.bifurcation(FORCED, period="2*pi/omega", points=5, skip=0, settings={"simulation.output": 10},
                                    out=tmp_path / "section", plots=False)
    assert section.branches[0].points.shape == (5, 3) and section.branches[0].value is None
