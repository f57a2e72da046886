"""Scenes, models, states and simulations."""
from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._core import DOUBLES, Context, Error, InputError, Life, Log, borrow, dumped, ffi, lib, own, shared, text, view, words

if TYPE_CHECKING:
    from ._extend import Controller, Force, Law
    from ._record import Record

Scope = Mapping[str, Any]
Types = Sequence["type[Force] | type[Law] | type[Controller]"]  #: written in Python
STOP = object()  #: what an observer returns to end the run there

# ---- Models -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class System:
    """A system of a model, and where its coordinates are."""

    name: str
    type: str
    q: slice  #: its part of the positions
    u: slice  #: its part of the velocities


@dataclass(frozen=True)
class LawInfo:
    """A law of a model, and where its rows are."""

    name: str  #: "beak.gap"
    element: str
    type: str
    rows: slice  #: its part of P, of gaps and relative velocities
    geometric: bool  #: its rows have gaps
    words: tuple[str, str]  #: what constraint and impressed mode are called
    friction: float  #: largest impulse along the first row for each N s of the law that scales it


@dataclass(frozen=True)
class InputInfo:
    """An input of a model."""

    name: str
    unit: str  #: as the scene gives it
    value: float  #: at the start
    min: float
    max: float
    controller: str | None  #: that sets it; None: you do


class Sizes(NamedTuple):
    """How many there are of everything in a model."""

    n_systems: int
    n_elements: int
    n_laws: int
    n_forces: int
    n_shapes: int
    n_q: int
    n_u: int
    n_rows: int
    contact_capacity: int
    n_inputs: int
    n_outputs: int
    n_controllers: int


class ModelInfo:
    """A sealed model: constant, all that moves is in states."""

    def __init__(self, c: Any, life: Life) -> None:
        self._c, self._life = borrow(c, life), life
        sizes = lib.ss_model_sizes(c)
        self.sizes = Sizes(*(getattr(sizes, name) for name in Sizes._fields))  #: how many there are of everything

    @property
    def q_names(self) -> list[str]:
        """Names of the positions: "toy.y"."""
        return [text(lib.ss_model_q_name(self._c, i).text) for i in range(self.sizes.n_q)]

    @property
    def u_names(self) -> list[str]:
        """Names of the velocities: "toy.y'"."""
        return [text(lib.ss_model_u_name(self._c, i).text) for i in range(self.sizes.n_u)]

    @property
    def systems(self) -> list[System]:
        """The systems, in the order of their coordinates."""
        infos = [lib.ss_model_system(self._c, i) for i in range(self.sizes.n_systems)]
        return [System(text(s.name), text(s.type), slice(s.q_offset, s.q_offset + s.nq), slice(s.u_offset, s.u_offset + s.nu))
                for s in infos]

    @property
    def laws(self) -> list[LawInfo]:
        """The laws, in the order of their rows and modes."""
        infos = [lib.ss_model_law(self._c, i) for i in range(self.sizes.n_laws)]
        return [LawInfo(text(w.name), text(w.element), text(w.type), slice(w.offset, w.offset + w.dim),
                        w.kind == lib.SS_GEOMETRIC, (text(w.words[0]), text(w.words[1])), w.friction) for w in infos]

    @property
    def elements(self) -> dict[str, str]:
        """Elements with their types."""
        infos = [lib.ss_model_element(self._c, i) for i in range(self.sizes.n_elements)]
        return {text(info.name): text(info.type) for info in infos}

    @property
    def forces(self) -> dict[str, str]:
        """Forces with their types."""
        infos = [lib.ss_model_force(self._c, i) for i in range(self.sizes.n_forces)]
        return {text(info.name): text(info.type) for info in infos}

    @property
    def inputs(self) -> dict[str, InputInfo]:
        """The inputs by name."""
        infos = [lib.ss_model_input(self._c, i) for i in range(self.sizes.n_inputs)]
        return {text(i.name): InputInfo(text(i.name), text(i.unit), i.value, i.min, i.max,
                                        text(i.controller) if i.controller else None) for i in infos}

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs with their units."""
        infos = [lib.ss_model_output(self._c, i) for i in range(self.sizes.n_outputs)]
        return {text(info.name): text(info.unit) for info in infos}

    @property
    def controllers(self) -> dict[str, str]:
        """Controllers with their types."""
        infos = [lib.ss_model_controller(self._c, i) for i in range(self.sizes.n_controllers)]
        return {text(info.name): text(info.type) for info in infos}

    @property
    def parameters(self) -> dict[str, float]:
        """Named numbers that expressions may use."""
        scope = lib.ss_model_scope(self._c)
        return {text(lib.ss_scope_name(scope, i)): lib.ss_scope_value(scope, i) for i in range(lib.ss_scope_count(scope))}


class Model:
    """A model that is built piece by piece.

    >>> model = Model()
    >>> model.define(mass=0.1)
    >>> model.add({"systems": {"ball": {"type": "point", "dim": 1, "mass": "mass", "position": 1}}})
    >>> model.add("forces: {weight: {type: gravity, acceleration: -9.81}}")
    >>> scene = model.scene({"simulation": {"step": 1e-3, "end": 0.1}})
    >>> round(scene.simulation.run().q[0], 2)
    0.95
    """

    def __init__(self, *, threads: int = 1, log: Log | None = None, types: Types = ()) -> None:
        """types: forces, laws and controllers written in Python, which the model may use by name."""
        self._context = _context(threads, log, types)
        self._made = _Made(threads, log, types)
        made = ffi.new("ss_model **")
        with self._context.locked:
            self._context.check(lib.ss_model_create(self._context.c, made))
            self._c, self._life = own(made[0], lib.ss_model_destroy, self._context.life)
        self._sealed = False

    def define(self, **parameters: float) -> None:
        """Names numbers that expressions in later texts may use."""
        with self._context.locked:
            for name, value in parameters.items():
                self._context.check(lib.ss_model_define(self._c, name.encode(), value))
        self._made.calls.append(lambda model: model.define(**parameters))

    def add(self, part: str | Scope, name: str = "model") -> None:
        """Adds objects from a text in the format of scenes, or a dict that says the same: the sections `parameters`,
        `inputs`, `systems`, `elements`, `forces`, `shapes`, `outputs` and `controllers`. They may name what was added before.

        name: of the text, in messages. When it fails the model is as it was before.
        """
        given = part if isinstance(part, str) else dumped(part, name)
        with self._context.locked:
            self._context.check(lib.ss_model_add_text(self._c, name.encode(), given.encode()))
        self._made.calls.append(lambda model: model.add(given, name))

    def seal(self) -> ModelInfo:
        """Checks everything; afterwards the model is constant and may serve many scenes."""
        with self._context.locked:
            if not self._sealed:
                self._context.check(lib.ss_model_seal(self._c))
            self._sealed = True
        return ModelInfo(self._c, self._life)

    def scene(self, part: str | Scope, name: str = "run") -> Scene:
        """What is done with the model: a text or a dict with the section `simulation`, and `solver`, `scheme`, `record`,
        `plots`, `drawing`, `expect` as wanted. Seals the model."""
        given = part if isinstance(part, str) else dumped(part, name)
        self.seal()
        made = ffi.new("ss_scene **")
        with self._context.locked:
            self._context.check(lib.ss_scene_create(self._c, name.encode(), given.encode(), made))
            calls = list(self._made.calls)

        def again() -> Scene:
            model = Model(**self._made.options)
            for call in calls:
                call(model)
            return model.scene(given, name)

        return Scene(self._context, made[0], again, self._life)


class _Made:
    """What a model was made with, so that it can be made again."""

    def __init__(self, threads: int, log: Log | None, types: Sequence[type]) -> None:
        self.options: dict[str, Any] = {"threads": threads, "log": log, "types": types}
        self.calls: list[Callable[[Model], None]] = []


def _context(threads: int, log: Log | None, types: Iterable[type]) -> Context:
    context = Context(threads, log)
    for given in types:
        given.register(context)  # type: ignore[attr-defined]
    return context


# ---- States -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statistics:
    """Sums over a run."""

    steps: int  #: accepted
    tries: int  #: steps of the scheme, with parts of steps and rejected ones
    iterations: int  #: of the solver, all tries
    max_iterations: int  #: in one step
    failures: int  #: solves that did not converge
    switches: int  #: changes of mode of any law
    worst_residual: float
    dissipated: float  #: J, taken out by the laws
    load_work: float  #: J, brought in by loads and moving constraints
    indeterminate: int  #: steps whose impulses are not unique
    not_chosen: int  #: steps in which the choice of `forces` could not be found
    forces: int
    gains: int  #: impacts that added energy
    gained: float  #: J, by them


def statistics_of(c: Any) -> Statistics:
    return Statistics(*(getattr(c, name) for name in Statistics.__dataclass_fields__))


#: Contacts of shapes as a structured array: `state.contacts["gap"]`.
CONTACT = np.dtype({
    "names": ["a", "b", "feature", "element", "closed", "slips", "spins", "rolls", "x", "n", "gap", "P", "L"],
    "formats": ["i4", "i4", "u4", "i4", "u1", "u1", "u1", "u1", ("f8", 3), ("f8", 3), "f8", ("f8", 3), ("f8", 3)],
    "offsets": [ffi.offsetof("ss_contact", name) for name in
                ("a", "b", "feature", "element", "closed", "slips", "spins", "rolls", "x", "n", "gap", "P", "L")],
    "itemsize": ffi.sizeof("ss_contact"),
})


class State:
    """Everything that moves. Arrays are views of the library's memory, not copies."""

    __slots__ = ("_c", "_life", "_sizes", "_writable", "_memory", "_views", "__weakref__")

    def __init__(self, c: Any, life: Life, sizes: Sizes, writable: bool, memory: Any = None) -> None:
        self._c = borrow(c, life) if memory is None else c
        self._life, self._sizes, self._writable, self._memory = life, sizes, writable, memory
        self._views: dict[str, np.ndarray] = {}

    def _at(self, pointer: Any, count: int, dtype: Any, writable: bool) -> np.ndarray:
        if self._memory is None:
            return view(pointer, count, dtype, self._life, writable and self._writable)
        start = ffi.cast("char *", pointer) - ffi.cast("char *", self._memory)  # in memory of Python
        array = np.frombuffer(ffi.buffer(self._memory), dtype, count, start)
        array.flags.writeable = False
        return array

    def _array(self, name: str, count: int, dtype: Any, writable: bool = False) -> np.ndarray:
        array = self._views.get(name)
        if array is None:
            array = self._views[name] = self._at(getattr(lib, f"ss_state_{name}")(self._c), count, dtype, writable)
        return array

    @property
    def t(self) -> float:
        """Time in s."""
        return lib.ss_state_time(self._c)

    @property
    def dt(self) -> float:
        """Size of the last step in s; 0 before the first."""
        return lib.ss_state_dt(self._c)

    @property
    def q(self) -> np.ndarray:
        """Positions. May be written between steps."""
        return self._array("q", self._sizes.n_q, float, True)

    @property
    def u(self) -> np.ndarray:
        """Velocities. May be written between steps."""
        return self._array("u", self._sizes.n_u, float, True)

    @property
    def P(self) -> np.ndarray:
        """Impulses of the last step by rows of all laws in N s; a force is P / dt."""
        return self._array("P", self._sizes.n_rows, float)

    @property
    def mode(self) -> np.ndarray:
        """Of every law: 0 constraint (closed, sticking), ±1 impressed (open, sliding)."""
        return self._array("mode", self._sizes.n_laws, np.intc)

    @property
    def contacts(self) -> np.ndarray:
        """Contacts of shapes in the last step: a structured array with a, b, x, n, gap, P …"""
        count = lib.ss_state_contact_count(self._c)
        return self._at(lib.ss_state_contacts(self._c), count, CONTACT, False) if count else np.empty(0, CONTACT)

    @property
    def statistics(self) -> Statistics:
        """Sums over the run so far."""
        return statistics_of(lib.ss_state_statistics(self._c))

    def copy(self) -> State:
        """The same state, which no step changes."""
        return _snapshot(self.save(), self._life, self._sizes)

    def save(self) -> bytes:
        """The whole state as bytes, to be restored later in a simulation of the same scene."""
        return bytes(ffi.buffer(ffi.cast("char *", self._c), lib.ss_state_bytes(self._c)))

    def __repr__(self) -> str:
        return f"<state at t = {self.t:.9g} s, q = {self.q}, u = {self.u}>"


def _snapshot(saved: bytes, life: Life, sizes: Sizes) -> State:
    memory = ffi.new("double[]", -(-len(saved) // 8))
    ffi.memmove(memory, saved, len(saved))
    return State(ffi.cast("ss_state *", memory), life, sizes, False, memory)


# ---- Simulations ----------------------------------------------------------------------------------------------------


class Switch(NamedTuple):
    """A law that changed its mode."""

    t: float  #: end of the step in which it was seen, s
    law: str
    before: str  #: "open"
    after: str  #: "closed"


@dataclass(frozen=True)
class SolveReport:
    """How a solve ended."""

    outcome: str  #: "converged", "settled", "iterations used up" or "diverged"
    converged: bool  #: it ended as its options asked
    iterations: int
    residual: float  #: relative
    residual_absolute: float  #: √J
    worst_block: int  #: -1: there is no block
    method: str  #: of solvers that have several: "exact 64, interior 12"
    freedom: int  #: dimension of the set of impulses; -1: not examined


def report_of(c: Any) -> SolveReport:
    return SolveReport(text(lib.ss_outcome_name(c.outcome)), bool(lib.ss_outcome_accepted(c.outcome)), c.iterations,
                       c.residual.value, c.residual.absolute, c.residual.worst_block, text(c.method), c.freedom)


class Step:
    """What an observer sees after each accepted step. Valid until the next one."""

    __slots__ = ("_c", "simulation")

    def __init__(self, c: Any, simulation: Simulation) -> None:
        self._c, self.simulation = c, simulation

    @property
    def t(self) -> float:
        """Time in s."""
        return lib.ss_state_time(self._c.state)

    @property
    def state(self) -> State:
        """The state at the end of the step."""
        return self.simulation.state

    @property
    def order(self) -> int:
        """Order of the step where the simulation chooses it, else 0."""
        return self._c.order

    @property
    def report(self) -> SolveReport | None:
        """How the solver fared; None before the first step."""
        return report_of(self._c.report) if self._c.report else None

    @property
    def switches(self) -> list[Switch]:
        """Laws that changed their mode in the step."""
        model = self.simulation.model
        found = []
        for i in range(self._c.n_switches):
            switch = self._c.switches[i]
            law = lib.ss_model_law(model._c, switch.law)
            found.append(Switch(switch.t, text(law.name), text(law.words[getattr(switch, "from") != 0]),
                                text(law.words[switch.to != 0])))
        return found

    def __repr__(self) -> str:
        return f"<step to t = {self.t:.9g} s>"


class Energy(NamedTuple):
    """Energies at a state in J."""

    kinetic: float
    potential: float
    dissipated: float  #: since t = 0
    load_work: float  #: since t = 0


class Inputs(Mapping[str, float]):
    """The inputs of a simulation by name: `inputs["force"]` is the value now, `inputs["force"] = 3` sets it between steps."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation, self._index = simulation, ffi.new("int *")
        self._names = list(simulation.model.inputs)

    def _find(self, name: str) -> int:
        simulation = self._simulation
        simulation._context.check(lib.ss_model_find_input(simulation.model._c, str(name).encode(), self._index))
        return self._index[0]

    def __getitem__(self, name: str) -> float:
        with self._simulation._context.locked:
            return lib.ss_state_input(lib.ss_simulation_state(self._simulation._c), self._find(name))

    def __setitem__(self, name: str, value: float) -> None:
        """From now on; held until it is set anew."""
        simulation = self._simulation
        with simulation._context.locked:
            index, state = self._find(name), lib.ss_simulation_state(simulation._c)
            simulation._context.check(lib.ss_state_set_input(simulation.model._c, state, index, value))

    def ramp(self, name: str, value: float, until: float) -> None:
        """From its value now to another at the time `until`, s, along a straight line; held from there."""
        simulation = self._simulation
        with simulation._context.locked:
            index, state = self._find(name), lib.ss_simulation_state(simulation._c)
            simulation._context.check(lib.ss_state_ramp_input(simulation.model._c, state, index, value, until))

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<inputs {dict(self)}>"


class Outputs(Mapping[str, float]):
    """The outputs of a simulation by name, at its current state."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation, self._index = simulation, ffi.new("int *")
        self._names = list(simulation.model.outputs)
        self._values = np.empty(len(self._names))
        self._c = ffi.cast("double *", ffi.from_buffer(self._values)) if self._names else ffi.NULL

    def array(self) -> np.ndarray:
        """All of them, in the order of their names."""
        simulation = self._simulation
        with simulation._context.locked:
            if self._names:
                simulation._context.check(lib.ss_simulation_outputs(simulation._c, self._c))
            return self._values.copy()

    def __getitem__(self, name: str) -> float:
        simulation = self._simulation
        with simulation._context.locked:
            simulation._context.check(lib.ss_model_find_output(simulation.model._c, str(name).encode(), self._index))
            return float(self.array()[self._index[0]])

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<outputs {dict(zip(self._names, self.array().tolist()))}>"


Observer = Callable[[Step], object]
Progress = Callable[["Simulation"], object]


class Simulation:
    """Strings steps together. `for step in simulation` makes all that are left."""

    def __init__(self, scene: Scene) -> None:
        self._context, self._life = scene._context, scene._life
        self._c = borrow(lib.ss_scene_simulation(scene._c), scene._life)
        self._lock = self._context.life.lock
        self._waiting = self._context.life.waiting
        self.model: ModelInfo = scene.model  #: what moves
        self._step = ffi.new("ss_step *")
        self._states: dict[Any, State] = {}
        self.inputs = Inputs(self)  #: values now; may be set between steps
        self.outputs = Outputs(self)  #: values at the current state

    @property
    def t(self) -> float:
        """Time in s."""
        return lib.ss_state_time(lib.ss_simulation_state(self._c))

    @property
    def end(self) -> float:
        """Where the run ends, s."""
        return lib.ss_simulation_settings(self._c).end

    @property
    def done(self) -> bool:
        """Whether the end is reached."""
        return lib.ss_simulation_done(self._c)

    @property
    def state(self) -> State:
        """The current state. It and its arrays are of the step that they were taken at: ask anew after each step, and copy
        what is to be kept."""
        c = lib.ss_simulation_state(self._c)
        state = self._states.get(c)
        if state is None:
            state = self._states[c] = State(c, self._life, self.model.sizes, True)
        return state

    @property
    def q(self) -> np.ndarray:
        """Positions of the current state, as `state.q`."""
        return self.state.q

    @property
    def u(self) -> np.ndarray:
        """Velocities of the current state, as `state.u`."""
        return self.state.u

    def step(self) -> Step:
        """One accepted step."""
        lock = self._lock
        lock.acquire()
        try:
            if lib.ss_simulation_done(self._c):
                raise InputError(f"the simulation is at its end, {self.end:g} s")
            status = lib.ss_simulation_advance(self._c, self._step)
            if status or self._context.pending:
                self._context.fail(status)
        finally:
            lock.release()
        return Step(self._step, self)

    def __iter__(self) -> Iterator[Step]:
        while not self.done:
            yield self.step()

    def run(self, observe: Observer | Sequence[Observer] = (), progress: Progress | None = None,
            until: float | None = None) -> State:
        """Runs to the end, or to the first step that ends at `until` or later; returns the state there.

        observe: one function or several, called with each accepted step, and before the first one. `return STOP` ends the
            run there; what they raise ends it and is raised here.
        progress: called with this simulation about ten times a second.

        Nobody who watches changes the motion.
        """
        self._run(observe, progress, until, ffi.NULL)
        return self.state

    def _run(self, observe: Observer | Sequence[Observer], progress: Progress | None, until: float | None, recorder: Any) -> None:
        observers = (observe,) if callable(observe) else tuple(observe)
        limit = float("inf") if until is None else float(until)
        if self.state.statistics.steps == 0:
            self._step = ffi.new("ss_step *", {"state": lib.ss_simulation_state(self._c)})
            with self._context.locked:
                if recorder:
                    self._context.check(lib.ss_recorder_observe(recorder, self._c, self._step))
            if self._tell(observers):
                return
        if observers:
            self._run_watched(observers, progress, limit, recorder)
        else:
            while not self.done and self.t < limit:
                with self._context.locked:
                    self._context.check(lib.ss_python_run(self._c, recorder, limit, 0.1))
                if progress:
                    progress(self)

    def _run_watched(self, observers: Sequence[Observer], progress: Progress | None, limit: float, recorder: Any) -> None:
        told = time.monotonic()
        while not self.done and self.t < limit:
            with self._context.locked:
                self.step()
                if recorder:
                    self._context.check(lib.ss_recorder_observe(recorder, self._c, self._step))
            if self._tell(observers):
                break
            if progress and time.monotonic() - told > 0.1:
                told = time.monotonic()
                progress(self)
        if progress:
            progress(self)

    def _tell(self, observers: Sequence[Observer]) -> bool:
        seen = Step(self._step, self)
        return any([observe(seen) is STOP for observe in observers])  # all of them see the step

    def save(self) -> bytes:
        """The whole state as bytes: `restore` goes on as if nothing had happened."""
        return self.state.save()

    def restore(self, saved: bytes | State) -> None:
        """Takes a saved state, or a copy of one, as the current state. It must be of the same scene."""
        if isinstance(saved, State):
            saved = saved.save()
        head = ffi.from_buffer("char[]", saved)
        with self._context.locked:
            if len(saved) != lib.ss_state_bytes(lib.ss_simulation_state(self._c)):
                raise InputError("the saved state is not of this model and simulation")
            aligned = ffi.new("double[]", -(-len(saved) // 8))
            ffi.memmove(aligned, head, len(saved))
            self._context.check(lib.ss_state_restore(self.model._c, len(saved), aligned, lib.ss_simulation_state(self._c)))

    def measure(self) -> tuple[np.ndarray, np.ndarray]:
        """Gaps (zero for rows that have none) and relative velocities at the current state, by rows of all laws."""
        work = lib.ss_simulation_work(self._c)
        n = lib.ss_work_sizes(work).n_rows
        gap, gamma = np.zeros(n), np.zeros(n)
        with self._context.locked:
            self._context.check(lib.ss_work_measure(work, lib.ss_simulation_state(self._c), ffi.from_buffer(DOUBLES, gap),
                                                    ffi.from_buffer(DOUBLES, gamma)))
        return gap[:self.model.sizes.n_rows], gamma[:self.model.sizes.n_rows]

    def energy(self) -> Energy:
        """Energies at the current state."""
        made = ffi.new("ss_energy *")
        with self._context.locked:
            self._context.check(lib.ss_work_energy(lib.ss_simulation_work(self._c), lib.ss_simulation_state(self._c), made))
        return Energy(made.kinetic, made.potential, made.dissipated, made.load_work)

    def __repr__(self) -> str:
        return f"<simulation at t = {self.t:.9g} s of {self.end:g} s>"


# ---- Scenes ---------------------------------------------------------------------------------------------------------


class Scene:
    """A scene: its model, and the simulation that moves it. Made by load, parse, build and Model.scene."""

    def __init__(self, context: Context, pointer: Any, again: Callable[[], Scene], *parents: Life) -> None:
        self._context, self._again = context, again
        self._c, self._life = own(pointer, lib.ss_scene_destroy, *(parents or (context.life,)))
        self.model = ModelInfo(lib.ss_scene_model(self._c), self._life)  #: what moves
        self.simulation = Simulation(self)  #: moves it

    @property
    def name(self) -> str:
        """`name`, or the base name of the file."""
        return text(lib.ss_scene_name(self._c))

    @property
    def description(self) -> str:
        """`description`; may be empty."""
        return text(lib.ss_scene_description(self._c))

    @property
    def text(self) -> str:
        """The scene as one self-contained text, with includes and settings merged in; "" around a model that was built piece
        by piece."""
        return text(lib.ss_scene_text(self._c))

    @property
    def folder(self) -> str:
        """What relative paths in `text` refer to."""
        return text(lib.ss_scene_folder(self._c))

    def to_dict(self) -> dict[str, Any]:
        """`text` as a dict. Change it and `build` a new scene."""
        if not self.text:
            raise InputError(f"scene '{self.name}' has no text: its model was built piece by piece")
        return read_text(self.text, self.name)

    def run(self, record: str | os.PathLike[str] | None = None, observe: Observer | Sequence[Observer] = (),
            progress: Progress | None = None, until: float | None = None) -> Record:
        """Runs the simulation to its end, or to `until`, and records it.

        record: the file; None: a temporary one, which goes with the record. A run that fails or is interrupted leaves a
            record up to there, which says why; one that is refused at its first step leaves an old record as it is.
        observe, progress, until: as Simulation.run.
        """
        return self._record(lambda path, made: lib.ss_recorder_create(self.simulation._c, path, self._recorder(), made),
                            record, observe, progress, until)

    def resume(self, record: str | os.PathLike[str], to: str | os.PathLike[str] | None = None,
               observe: Observer | Sequence[Observer] = (), progress: Progress | None = None, until: float | None = None) -> Record:
        """Continues a record of this scene where it ended, as if the run had never been interrupted.

        to: where the longer record goes; None: it replaces the old one.
        """
        begin = os.fsencode(record)
        return self._record(lambda path, made: lib.ss_recorder_resume(self.simulation._c, begin, path, self._recorder(), made),
                            to if to is not None else record, observe, progress, until)

    def _recorder(self) -> Any:
        return ffi.new("ss_recorder_options *", lib.ss_scene_recorder(self._c))

    def _record(self, create: Callable[[bytes, Any], int], path: Any, observe: Any, progress: Any, until: Any) -> Record:
        from ._record import Record, temporary
        path, keep = (path, None) if path is not None else temporary(self.name)
        made = ffi.new("ss_recorder **")
        with self._context.locked:
            self._context.check(create(os.fsencode(path), made))
        steps = self.simulation.state.statistics.steps
        try:
            self.simulation._run(observe, progress, until, made[0])
        except BaseException as error:
            self._end_early(made[0], error, steps)
            raise
        with self._context.locked:
            self._context.check(lib.ss_recorder_close(made[0]))
        return Record(path, _keep=keep)

    def _end_early(self, recorder: Any, error: BaseException, steps: int) -> None:
        """The record of a run that ended by an exception says why; one that was refused leaves none."""
        with self._context.locked:
            if getattr(error, "status", "") == "not supported" and self.simulation.state.statistics.steps == steps:
                lib.ss_recorder_discard(recorder)
                return
            note = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error) or type(error).__name__
            lib.ss_recorder_set_note(recorder, note.encode())
            if lib.ss_recorder_close(recorder):
                raise Error(text(lib.ss_context_message(self._context.c))) from error

    def fork(self) -> Scene:
        """An independent scene at the same state: both go on by themselves, in other threads if wanted."""
        fork = self._again()
        fork.simulation.restore(self.simulation.save())
        return fork

    def __repr__(self) -> str:
        sizes = self.model.sizes
        return f"<scene '{self.name}': {sizes.n_systems} systems, {sizes.n_laws} laws, t = {self.simulation.t:.9g} s>"


def _options(settings: Scope | None, parameters: Scope | None, **flags: bool) -> tuple[Any, list[Any]]:
    kept: list[Any] = []

    def strings(given: Scope | None) -> Any:
        items = [ffi.new("char[]", word.encode()) for word in words(given)]
        kept.extend(items)
        kept.append(ffi.new("char *[]", items) if items else ffi.NULL)
        return kept[-1]

    options = ffi.new("ss_scene_options *", flags)
    options.settings, options.n_settings = strings(settings), len(settings or ())
    options.parameters, options.n_parameters = strings(parameters), len(parameters or ())
    return options, kept


def _scene(call: Callable[[Context, Any, Any], int], settings: Scope | None, parameters: Scope | None, threads: int,
           log: Log | None, types: Sequence[type], flags: dict[str, bool]) -> Scene:
    context = _context(threads, log, types)
    options, kept = _options(settings, parameters, **flags)
    made = ffi.new("ss_scene **")
    with context.locked:
        context.check(call(context, options, made))
    del kept

    def again() -> Scene:
        return _scene(call, settings, parameters, threads, log, types, flags)

    return Scene(context, made[0], again)


def load(path: str | os.PathLike[str], *, settings: Scope | None = None, parameters: Scope | None = None, threads: int = 1,
         log: Log | None = None, types: Types = (), allow_outside: bool = False,
         allow_plugins: bool = False) -> Scene:
    """Loads a scene file.

    settings: replaces or adds values: {"solver.tolerance": 1e-8, "systems.toy.position": [0, 1]}.
    parameters: replaces parameters that the scene declares: {"mu": 0.3}.
    threads: threads that the solver may use; results do not depend on it.
    log: called with a level of `logging` and a message, for warnings; None: the logger "stickslip".
    types: forces, laws and controllers written in Python, which the scene may use by name.
    allow_outside: files that the scene includes may be outside of its folder.
    allow_plugins: load the plugins that the scene names: they run as part of the program.
    """
    with open(path, "rb") as file:  # read once: a fork is of the scene as it was
        given = file.read()
    return _parse(os.fspath(path), given, settings, parameters, threads, log, types,
                  {"allow_outside": allow_outside, "allow_plugins": allow_plugins})


def _parse(name: Any, given: bytes, settings: Scope | None, parameters: Scope | None, threads: int, log: Log | None,
           types: Sequence[type], flags: dict[str, bool]) -> Scene:
    def call(context: Context, options: Any, made: Any) -> int:
        return lib.ss_scene_parse(context.c, os.fsencode(name), given, len(given), options, made)

    return _scene(call, settings, parameters, threads, log, types, flags)


def parse(scene: str, *, name: str = "scene", folder: str | os.PathLike[str] = "", settings: Scope | None = None,
          parameters: Scope | None = None, threads: int = 1, log: Log | None = None,
          types: Types = (), allow_outside: bool = False, allow_plugins: bool = False) -> Scene:
    """Makes a scene from a text in the format of scene files.

    name: of the text, in messages. folder: what relative paths in it refer to. Others: as `load`.
    """
    return _parse(os.path.join(folder, name), scene.encode(), settings, parameters, threads, log, types,
                  {"allow_outside": allow_outside, "allow_plugins": allow_plugins})


def build(scene: Scope, *, name: str = "scene", folder: str | os.PathLike[str] = "", settings: Scope | None = None,
          parameters: Scope | None = None, threads: int = 1, log: Log | None = None,
          types: Types = (), allow_outside: bool = False, allow_plugins: bool = False) -> Scene:
    """Makes a scene from a dict that says what a scene file would say. Values may be NumPy's.

    >>> scene = build({
    ...     "systems": {"ball": {"type": "point", "dim": 1, "mass": 0.1, "position": 1}},
    ...     "forces": {"weight": {"type": "gravity", "acceleration": -9.81}},
    ...     "simulation": {"step": 1e-3, "end": 0.1},
    ... })
    >>> round(scene.simulation.run().u[0], 3)
    -0.981
    """
    return parse(dumped(scene, name), name=name, folder=folder, settings=settings, parameters=parameters, threads=threads,
                 log=log, types=types, allow_outside=allow_outside, allow_plugins=allow_plugins)


def read_text(scene: str, name: str = "scene") -> dict[str, Any]:
    """A text in the format of scene files as a dict: numbers, truth values and texts; expressions are texts. Includes stay as
    they stand."""
    context, made = shared(), ffi.new("char **")
    given = scene.encode()
    with context.locked:
        context.check(lib.ss_yaml_to_json(context.c, name.encode(), given, len(given), made))
        try:
            found = json.loads(text(made[0]))
        finally:
            lib.ss_release(context.c, made[0])
    if not isinstance(found, dict):
        raise InputError(f"{name}: a scene is a map of sections")
    return found


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A scene file as a dict, as `read_text`. Change it and `build` a scene, with the file's folder as `folder`.

    >>> scene = read("scenes/slope.yaml")                                                       # doctest: +SKIP
    >>> scene["simulation"]["end"] = 2                                                          # doctest: +SKIP
    >>> build(scene, folder="scenes").run("slope.h5")                                           # doctest: +SKIP
    """
    with open(path, encoding="utf-8-sig") as file:
        return read_text(file.read(), os.fspath(path))
