"""Periodic orbits: closed forms of the linear motion, of determinants through impacts, and the woodpecker's limit cycle."""
import math

import numpy as np
import pytest

import stickslip
from scenes import SOURCE, WOODPECKER

FORCED = SOURCE / "scenes" / "impact_forced.yaml"
OMEGA, D, EPSILON = 2.8, 0.1, 0.8
T = 2 * math.pi / OMEGA
FAST = {"simulation.output": 10, "simulation.end": 1e5}


def test_linear_motion():
    scene = stickslip.load(FORCED, parameters={"F": 3}, settings=FAST)
    scene.simulation.q[:] = -0.3  # anywhere near
    orbit = stickslip.periodic_orbit(scene, period=T)
    size, phase = math.hypot(1 - OMEGA**2, D * OMEGA), math.atan2(D * OMEGA, 1 - OMEGA**2)
    assert orbit.period == T and orbit.stable and orbit.iterations <= 4
    assert orbit.q[0] == pytest.approx(3 / size * math.cos(phase), abs=1e-9)
    assert orbit.u[0] == pytest.approx(3 / size * OMEGA * math.sin(phase), abs=1e-9)
    free = math.sqrt(1 - D**2 / 4)
    expected = np.exp((-D / 2 + 1j * free) * T)
    assert np.allclose(sorted(orbit.multipliers, key=np.imag), sorted([expected, expected.conjugate()], key=np.imag), atol=1e-5)


def test_motion_with_impacts():
    scene = stickslip.load(FORCED, parameters={"F": 7.6}, settings=FAST)
    scene.simulation.run(until=0)
    for k in range(1, 301):
        stickslip_to(scene, k * T)
    orbit = stickslip.periodic_orbit(scene, period=4 * T)
    assert orbit.residual < 1e-8 and orbit.stable
    closed = []
    start = scene.simulation.t
    scene.simulation.run(lambda step: closed.extend(s for s in step.switches if s.after == "closed") and None, until=start + 4 * T)
    assert len(closed) > 0
    # an impact multiplies the determinant by ε², damping by exp(-d/m T)
    expected = EPSILON ** (2 * len(closed)) * math.exp(-D * 4 * T)
    assert np.prod(orbit.multipliers).real == pytest.approx(expected, rel=1e-3)


def stickslip_to(scene, t):
    step = stickslip._orbit._Map(scene, None, None, 0)
    step.run_to(t)


def test_the_woodpecker():
    settings = {"simulation.type": "event_driven", "simulation.output": 0.001, "simulation.end": 2}
    periods = []
    for relative in (1e-10, 1e-12):
        scene = stickslip.load(WOODPECKER, settings={**settings, "simulation.relative": relative})
        scene.simulation.run(until=0.6)
        tilt = scene.model.q_names.index("toy.phi_M")
        orbit = stickslip.periodic_orbit(scene, section=lambda q, u: q[tilt], least=0.1, drift=["toy.y"])
        periods.append(orbit.period)
        assert orbit.stable
        assert orbit.residual < 1e-9 and abs(orbit.multipliers[0]) > 0.1 > abs(orbit.multipliers[1])
    assert periods[1] == pytest.approx(periods[0], abs=1e-10)
    # a long run comes to the same cycle, by its largest multiplier with each period
    blows, scene = [], stickslip.load(WOODPECKER, settings={**settings, "simulation.output": 0.05, "simulation.end": 11})
    scene.simulation.run(lambda step: blows.extend(s.t for s in step.switches if (s.law, s.after) == ("beak.gap", "closed")))
    assert blows[-1] - blows[-2] == pytest.approx(periods[1], abs=3e-6)
    errors = [b - a - periods[1] for a, b in zip(blows[20:], blows[21:])]
    assert errors[4] / errors[3] == pytest.approx(orbit.multipliers[0].real, abs=1e-2)


def test_errors():
    scene = stickslip.load(FORCED, settings=FAST)
    with pytest.raises(stickslip.InputError, match="either a period or a section"):
        stickslip.periodic_orbit(scene)
    with pytest.raises(stickslip.InputError, match="least"):
        stickslip.periodic_orbit(scene, section=lambda q, u: q[0])
    with pytest.raises(stickslip.InputError, match="no position is named 'y'"):
        stickslip.periodic_orbit(scene, period=T, drift=["y"])
    with pytest.raises(stickslip.OrbitError):
        stickslip.periodic_orbit(scene, period=0.7 * T, iterations=2)
