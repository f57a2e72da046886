"""Periodic orbits by shooting, and their stability."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ._core import Error, InputError, lib
from ._scene import Scene

Section = Callable[[np.ndarray, np.ndarray], float]


class OrbitError(Error):
    """No periodic orbit was found."""


@dataclass
class Orbit:
    """A motion that repeats."""

    q: np.ndarray  #: positions where it begins
    u: np.ndarray  #: velocities there
    period: float  #: s
    multipliers: np.ndarray  #: of Floquet, the largest first; the orbit is stable when all are smaller than 1
    residual: float  #: largest difference of positions and velocities after a period
    iterations: int  #: of Newton's method

    @property
    def stable(self) -> bool:
        """Whether all multipliers are smaller than 1."""
        return bool(np.all(np.abs(self.multipliers) < 1))


class _Map:
    """Takes a state to the one after a period, or at the next passage of the section."""

    def __init__(self, scene: Scene, period: float | None, section: Section | None, least: float) -> None:
        self.simulation, self.period, self.section, self.least = scene.simulation, period, section, least
        self._context = scene._context
        self.saved = scene.simulation.save()
        self.t = scene.simulation.t
        self.n_q = scene.model.sizes.n_q

    def stop_at(self, t: float) -> None:
        with self._context.locked:
            self._context.check(lib.ss_simulation_set_end(self.simulation._c, t))

    def run_to(self, t: float) -> None:
        self.stop_at(t)
        self.simulation.run()

    def start(self, x: np.ndarray) -> None:
        """A state of its own: what was remembered of the motion before does not belong to it."""
        fresh = self._fresh
        self.simulation.restore(fresh)
        lib.ss_state_set_time(lib.ss_simulation_state(self.simulation._c), self.t)
        self.simulation.q[:], self.simulation.u[:] = x[:self.n_q], x[self.n_q:]

    def x(self) -> np.ndarray:
        return np.concatenate([self.simulation.q, self.simulation.u])

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, float]:
        """The state after a period, and how long it took."""
        self.start(x)
        if self.section is None:
            self.run_to(self.t + self.period)
            return self.x(), float(self.period)
        return self._pass()

    def _pass(self) -> tuple[np.ndarray, float]:
        simulation, end = self.simulation, self.t + 1e6 * max(self.least, 1e-3)
        self.run_to(self.t + self.least)
        self.stop_at(end)
        before, value = simulation.save(), self.section(simulation.q, simulation.u)
        while simulation.t < end:
            simulation.step()
            now = self.section(simulation.q, simulation.u)
            if value < 0 <= now:
                return self._locate(before, value, simulation.t, now)
            before, value = simulation.save(), now
        raise OrbitError("the motion does not come back to the section")

    def _locate(self, before: bytes, f_a: float, b: float, f_b: float) -> tuple[np.ndarray, float]:
        simulation = self.simulation
        simulation.restore(before)
        a, here, w_a, w_b = simulation.t, self.x(), f_a, f_b
        for i in range(60):
            t = 0.5 * (a + b) if i % 4 == 3 else a + w_a / (w_a - w_b) * (b - a)
            if not a < t < b or b - a < 1e-14 * max(1.0, abs(b)):
                break
            simulation.restore(before)
            self.run_to(t)
            here, f = self.x(), self.section(simulation.q, simulation.u)
            if f < 0:
                a, w_a, w_b = t, f, 0.5 * w_b
            else:
                b, w_b, w_a = t, f, 0.5 * w_a
        simulation.restore(before)
        self.run_to(b)
        return self.x(), b - self.t

    def prepare(self, fresh: bytes) -> None:
        self._fresh = fresh


def _jacobian(step: _Map, x: np.ndarray, free: np.ndarray, size: np.ndarray) -> np.ndarray:
    """By central differences; columns of coordinates that are no unknowns are left out."""
    columns = []
    for i in free:
        h = 1e-6 * size[i]
        ahead, behind = x.copy(), x.copy()
        ahead[i] += h
        behind[i] -= h
        columns.append((step(ahead)[0][free] - step(behind)[0][free]) / (ahead[i] - behind[i]))
    return np.array(columns).T


def periodic_orbit(scene: Scene, *, period: float | None = None, section: Section | None = None, least: float = 0.0,
                   drift: Sequence[str] = (), tolerance: float = 1e-10, iterations: int = 20) -> Orbit:
    """Finds the motion near the scene's current state that repeats, by Newton's method with differences, and its stability.

    The scene should run event-driven or augmented: differences of states need motions without errors of the step.

    period: of what drives the scene, s; the motion may repeat after a multiple of it, which is then given.
    section: without a period, a function of positions and velocities that passes zero upwards once in each period, best where
        no contact is closed.
    least: the shortest time between two passages that count, s: more than 0 with a section.
    drift: names of positions that go on from period to period and that nothing depends on: the height of the woodpecker.
    tolerance: largest difference after a period, relative to the sizes of the coordinates along the motion.

    The scene's state is the one of the orbit afterwards.

    >>> scene.simulation.run(until=20)                                                          # doctest: +SKIP
    >>> orbit = periodic_orbit(scene, period=2*math.pi/2.8)                                         # doctest: +SKIP
    >>> orbit.multipliers                                                                       # doctest: +SKIP
    """
    if (period is None) == (section is None):
        raise InputError("give either a period or a section")
    if section is not None and not least > 0:
        raise InputError("with a section, 'least' must be > 0: a part of the period")
    names = scene.model.q_names
    unknown = [name for name in drift if name not in names]
    if unknown:
        raise InputError(f"no position is named '{unknown[0]}' (positions: {', '.join(names)})")
    step = _Map(scene, period, section, least)
    step.prepare(scene._again().simulation.save())
    n_q, n = len(names), len(names) + scene.model.sizes.n_u
    free = np.array([i for i in range(n) if i >= n_q or names[i] not in drift])
    x = step.x()
    if section is not None:
        x = step(x)[0]  # on the section
    for iteration in range(1, iterations + 1):
        after, time = step(x)
        size = np.maximum(np.abs(x), np.abs(after)) + 1e-3 * np.max(np.abs(after)) + 1e-12
        residual = float(np.max(np.abs(after - x)[free] / size[free]))
        jacobian = _jacobian(step, x, free, size)
        if residual <= tolerance:
            multipliers = np.linalg.eigvals(jacobian)
            step.start(x)
            order = np.argsort(-np.abs(multipliers))
            return Orbit(x[:n_q].copy(), x[n_q:].copy(), time, multipliers[order],
                         float(np.max(np.abs(after - x)[free])), iteration)
        change = np.linalg.lstsq(jacobian - np.eye(len(free)), -(after - x)[free], rcond=1e-12)[0]
        x = x.copy()
        x[free] += change
    raise OrbitError(f"no orbit after {iterations} iterations; the state returns to within {residual:.3g} of its size")
