"""Forces, laws and controllers written in Python."""
from __future__ import annotations

import inspect
import itertools
import math
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._core import Context, InputError, ffi, lib, text
from ._inclusion import Set

# ---- Keys -----------------------------------------------------------------------------------------------------------


class _Field:
    """A key of a type: an attribute of its objects."""

    kind: ClassVar[int]
    ctype: ClassVar[str]

    def __init__(self, default: Any = None, *, doc: str = "", unit: str = "") -> None:
        """default: as it would be written; None: it must be given."""
        self.name, self.default, self.doc, self.unit = "", default, doc, unit
        self.min, self.max, self.choices = 0.0, 0.0, ""

    def __set_name__(self, _: type, name: str) -> None:
        self.name = name

    def bounds(self, least: float | None, most: float | None, positive: bool) -> None:
        if positive:
            self.min, self.max = sys.float_info.min, math.inf if most is None else most
        elif least is not None or most is not None:
            self.min, self.max = -math.inf if least is None else least, math.inf if most is None else most

    def read(self, field: Any) -> Any:
        """The value, from its place in C: a pointer."""
        return field[0]

    def written(self) -> str | None:
        return None if self.default is None else str(self.default)


class Number(_Field):
    """A number."""

    kind, ctype = lib.SS_KEY_REAL, "double"

    def __init__(self, default: float | str | None = None, *, doc: str = "", unit: str = "", min: float | None = None,
                 max: float | None = None, positive: bool = False) -> None:
        super().__init__(default, doc=doc, unit=unit)
        self.bounds(min, max, positive)


class Integer(_Field):
    """A whole number."""

    kind, ctype = lib.SS_KEY_INT, "int"

    def __init__(self, default: int | None = None, *, doc: str = "", min: int | None = None, max: int | None = None) -> None:
        super().__init__(default, doc=doc)
        self.bounds(min, max, False)


class Numbers(_Field):
    """A list of numbers, as an array."""

    kind, ctype = lib.SS_KEY_REALS, "ss_matrix"

    def __init__(self, default: float | str | tuple[()] | None = None, *, doc: str = "", unit: str = "") -> None:
        """default: one number, a list of one; (): an empty list; None: it must be given."""
        super().__init__(default, doc=doc, unit=unit)

    def read(self, field: Any) -> np.ndarray:
        return np.array([field.values[i] for i in range(field.rows * field.columns)])

    def written(self) -> str | None:
        return "" if self.default == () else super().written()


class Choice(_Field):
    """One of several words."""

    kind, ctype = lib.SS_KEY_CHOICE, "int"

    def __init__(self, *words: str, default: str | None = None, doc: str = "") -> None:
        super().__init__(default, doc=doc)
        self.words, self.choices = words, "|".join(words)

    def read(self, field: Any) -> str:
        return self.words[field[0]]


class Text(_Field):
    """A text."""

    kind, ctype = lib.SS_KEY_TEXT, "ss_text"

    def read(self, field: Any) -> str:
        return text(field.text) if field.text else ""


class OnSystem(Text):
    """The name of a system that a force acts on."""


# ---- Types ----------------------------------------------------------------------------------------------------------


class _Kind:
    """A class as the library knows it: memory that outlives the context, and the objects that were made."""

    def __init__(self, made: type[_Typed], context: Context) -> None:
        self.made, self.context = made, weakref.ref(context)
        self.fields = [field for base in reversed(made.__mro__) for field in vars(base).values() if isinstance(field, _Field)]
        self.offsets, self.size, self.kept = [], 16, []  # first the number of the object, then that of this kind
        for field in self.fields:
            self.offsets.append(self.size)
            self.size += -(-ffi.sizeof(field.ctype) // 8) * 8

    def keep(self, given: str | None) -> Any:
        if given is None:
            return ffi.NULL
        self.kept.append(ffi.new("char[]", given.encode()))
        return self.kept[-1]

    def fill(self, kind: Any, number: int, size: int) -> None:
        """The struct ss_type."""
        keys = ffi.new("ss_key[]", len(self.fields) + 1)
        for key, field, offset in zip(keys, self.fields, self.offsets):
            key.name, key.kind, key.offset = self.keep(field.name), field.kind, offset
            key.default_value, key.unit, key.doc = self.keep(field.written()), self.keep(field.unit), self.keep(field.doc)
            key.min, key.max, key.choices = field.min, field.max, self.keep(field.choices or None)
        self.kept.append(keys)
        kind.abi, kind.size, kind.self_size, kind.keys = lib.SS_ABI, size, self.size, keys
        kind.name = self.keep(self.made.name)
        kind.doc = self.keep((inspect.getdoc(self.made) or self.made.__name__).splitlines()[0])
        kind.flags, kind.user, kind.user_offset = lib.SS_TYPE_SERIAL, ffi.cast("void *", number), 8
        kind.release = lib.ss_python_release

    def read(self, self_c: Any, made: _Typed) -> None:
        """The keys of an object become its attributes."""
        start = ffi.cast("char *", self_c)
        for field, offset in zip(self.fields, self.offsets):
            made.__dict__[field.name] = field.read(ffi.cast(f"{field.ctype} *", start + offset))


_kinds: dict[int, _Kind] = {}
_objects: dict[int, _Typed] = {}
_numbers = itertools.count(1)


class _Typed:
    """What forces, laws and controllers have in common."""

    name: ClassVar[str]  #: as in scenes
    _kind: _Kind

    @classmethod
    def register(cls, context: Context) -> None:
        if not isinstance(getattr(cls, "name", None), str):
            raise InputError(f"{cls.__name__}: the class attribute `name` says what scenes call the type")
        number, kind = next(_numbers), _Kind(cls, context)
        ops = cls._ops(kind, number)
        context.life.kept.append(kind)
        _kinds[number] = kind
        with context.locked:
            status = cls._register(context.c, ops)
            if status:
                del _kinds[number]
            context.check(status)

    @classmethod
    def _register(cls, context: Any, ops: Any) -> int:
        raise NotImplementedError

    @classmethod
    def _ops(cls, kind: _Kind, number: int) -> Any:
        raise NotImplementedError

    def _begin(self, setup: Any) -> None:
        raise NotImplementedError


def _raised(kind: _Kind | None, error: BaseException) -> int:
    """An exception in a function that C called: the call fails, and whoever called C gets the exception."""
    context = kind.context() if kind else None
    if context is None:
        return lib.SS_INPUT
    context.pending = context.pending or error
    return lib.ss_python_fail(context.c, lib.SS_INPUT, f"{type(error).__name__}: {error}".encode())


@ffi.def_extern()
def ss_python_release(user: Any) -> None:
    _kinds.pop(int(ffi.cast("uintptr_t", user)), None)


@ffi.def_extern(error=lib.SS_INPUT)
def ss_python_init(self_c: Any, setup: Any) -> int:
    head = ffi.cast("uint64_t *", self_c)
    kind = _kinds[head[1]]
    try:
        made = kind.made()
        made._kind = kind
        kind.read(self_c, made)
        made._begin(setup)
        head[0] = next(_numbers)
        _objects[head[0]] = made
    except BaseException as error:  # pylint: disable=broad-except # handed over
        return _raised(kind, error)
    return lib.SS_OK


@ffi.def_extern()
def ss_python_destroy(self_c: Any) -> None:
    _objects.pop(ffi.cast("uint64_t *", self_c)[0], None)


def _calls(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a function that C calls for an object: its exceptions become failures."""

    def make(function: Callable[..., None]) -> Callable[..., None]:
        def call(self_c: Any, *arguments: Any) -> int:
            made = _objects[ffi.cast("uint64_t *", self_c)[0]]
            try:
                function(made, *arguments)
            except BaseException as error:  # pylint: disable=broad-except # handed over
                return _raised(made._kind, error)
            return 0

        ffi.def_extern(name, error=lib.SS_INPUT)(call)
        return function

    return make


def _read(pointer: Any, count: int) -> np.ndarray:
    if count == 0:
        return np.empty(0)
    array = np.frombuffer(ffi.buffer(pointer, 8 * count), float)
    array.flags.writeable = False
    return array


def _written(given: ArrayLike, count: int, what: str) -> np.ndarray:
    values = np.asarray(given, dtype=float)
    if values.ndim == 0:
        values = values.reshape(1)
    if values.shape != (count,):
        raise InputError(f"{what} gave numbers of the shape {values.shape}; it must be ({count},)")
    return values


# ---- Forces ---------------------------------------------------------------------------------------------------------


class Force(_Typed):
    """A type of force. Scenes that are loaded with `types=[Drag]` may use it:

        class Drag(stickslip.Force):
            \"\"\"Air resistance, quadratic in the speed.\"\"\"
            name = "drag"
            on = stickslip.OnSystem(doc="The system that moves through the air.")
            coefficient = stickslip.Number(unit="N s^2/m^2", min=0, doc="Force at a speed of 1 m/s.")

            def force(self, t, q, u):
                v, = u
                return [-self.coefficient * np.linalg.norm(v) * v]

    `forces: {air: {type: drag, on: ball, coefficient: 0.1}}` makes an object of it. Its keys are then attributes. The same
    arguments must give the same force: what changes in a motion is in the state. An exception ends the run and is raised
    by it.
    """

    _system: list[int]
    _nq: list[int]
    _nu: list[int]

    def setup(self) -> None:
        """Called once, when the keys are attributes. Raise InputError when they do not fit."""

    def force(self, t: float, q: Sequence[np.ndarray], u: Sequence[np.ndarray]) -> Sequence[ArrayLike]:
        """Generalized forces on each system: one array for each key OnSystem, as are q and u."""
        raise NotImplementedError

    # def potential(self, t, q) -> float: potential energy in J. Without it the work of the force counts as that of loads.

    @classmethod
    def _register(cls, context: Any, ops: Any) -> int:
        return lib.ss_register_force(context, ops)

    @classmethod
    def _ops(cls, kind: _Kind, number: int) -> Any:
        ops = ffi.new("ss_force_ops *")
        kind.fill(ops.type, number, ffi.sizeof("ss_force_ops"))
        ops.init, ops.destroy, ops.h = lib.ss_python_init, lib.ss_python_destroy, lib.ss_python_force_h
        if hasattr(cls, "potential"):
            ops.potential = lib.ss_python_force_potential
        return ops

    def _begin(self, setup: Any) -> None:
        self._system, self._nq, self._nu = [], [], []
        context = self._kind.context()
        local, nq, nu = ffi.new("int *"), ffi.new("int *"), ffi.new("int *")
        for field in self._kind.fields:
            if isinstance(field, OnSystem):
                given = ffi.new("char[]", getattr(self, field.name).encode())
                where = lib.ss_setup_key_location(setup, field.name.encode())
                status = lib.ss_setup_connect(setup, ffi.new("ss_text *", {"text": given, "where": where}), local)
                if status:
                    context.check(status)  # type: ignore[union-attr]
                lib.ss_setup_connected(setup, local[0], nq, nu)
                self._system.append(local[0])
                self._nq.append(nq[0])
                self._nu.append(nu[0])
        if not self._system:
            raise InputError(f"force '{self.name}' acts on no system: it needs a key OnSystem")
        self.setup()


@_calls("ss_python_force_h")
def _force_h(force: Force, at: Any, h: Any) -> None:
    q = [_read(at.q[k], n) for k, n in zip(force._system, force._nq)]
    u = [_read(at.u[k], n) for k, n in zip(force._system, force._nu)]
    given = force.force(at.t, q, u)
    if len(given) != len(force._system):
        raise InputError(f"force '{force.name}': force() gave {len(given)} arrays for {len(force._system)} systems")
    for k, n, part in zip(force._system, force._nu, given):
        if n:
            np.frombuffer(ffi.buffer(h[k], 8 * n), float)[:] += _written(part, n, f"force '{force.name}': force()")


@_calls("ss_python_force_potential")
def _force_potential(force: Any, at: Any, V: Any) -> None:
    V[0] = force.potential(at.t, [_read(at.q[k], n) for k, n in zip(force._system, force._nq)])


# ---- Laws -----------------------------------------------------------------------------------------------------------


class LawAt(NamedTuple):
    """What a law sees of its rows in a step."""

    t: float  #: s, where the scheme evaluates the laws
    dt: float  #: s
    dim: int  #: rows of the law
    g: np.ndarray  #: gaps of geometric rows, else zeros
    gamma: np.ndarray | None  #: relative velocities at the beginning of the step; None for `level`


_CLASSES = {"unilateral": lib.SS_LAW_UNILATERAL, "bilateral": lib.SS_LAW_BILATERAL, "friction": lib.SS_LAW_FRICTION,
            "spring": lib.SS_LAW_SPRING}
_ROWS = {"geometric": lib.SS_GEOMETRIC, "kinematic": lib.SS_KINEMATIC, "any": lib.SS_GEOMETRIC | lib.SS_KINEMATIC}
_DEPENDS = {"time": lib.SS_LAW_SET_OF_TIME, "gap": lib.SS_LAW_SET_OF_GAP, "speed": lib.SS_LAW_SET_OF_SPEED}
_LEVELS = {"active": lib.SS_LEVEL_ACTIVE, "impressed": lib.SS_LEVEL_IMPRESSED, "inactive": lib.SS_LEVEL_INACTIVE}
_OPTIONAL = {"level": lib.SS_LAW_OPENS, "impressed": lib.SS_LAW_IMPRESSED, "added": lib.SS_LAW_ADDED,
             "correction": lib.SS_LAW_CORRECTED, "distance": lib.SS_LAW_DISTANCE, "potential": lib.SS_LAW_STORES_ENERGY}


class Law(_Typed):
    """A type of law. Scenes that are loaded with `types=[Glue]` may use it:

        class Glue(stickslip.Law):
            \"\"\"A contact that can pull up to its strength.\"\"\"
            name = "glue"
            law_class, rows, words = "unilateral", "geometric", ("stuck", "free")
            strength = stickslip.Number(unit="N", min=0, doc="Pull that it bears.")

            def setup(self):
                self.line = stickslip.Set("half_line")

            def level(self, at):
                return "active" if at.g[0] <= 1e-9 else "inactive"

            def set(self, at):
                return self.line, 1.0

            def added(self, at):
                return -self.strength * at.dt

    `set` is required. Methods that a class may have, each with the meaning it has in docs/extending.md:

        level(at)       "active", "impressed" or "inactive"; without it the law is always active
        impressed(at)   the known impulse where it is impressed, N s
        added(at)       a known impulse beside that of the set, N s
        correction(at)  added to the relative velocity in the inclusion, m/s
        distance(at)    of geometric rows: zero where the law closes, m
        potential(g)    energy stored at the gap g, J
        sets(dim)       those that `set` may give; where `depends` is not ()
    """

    law_class: ClassVar[str]  #: "unilateral", "bilateral", "friction" or "spring"
    rows: ClassVar[str] = "any"  #: "geometric", "kinematic" or "any": what it may be attached to
    each_row: ClassVar[bool] = True  #: one law for each row of a group, or one for the group
    words: ClassVar[tuple[str, str]] = ("constraint", "impressed")  #: what its modes are called
    depends: ClassVar[tuple[str, ...]] = ()  #: what the set depends on: "time", "gap", "speed"
    of_normal: ClassVar[bool] = False  #: the set is scaled by the impulse of the element's normal law (Coulomb)
    dim: int  #: rows of this law

    _kept: dict[Any, Set]

    def setup(self) -> None:
        """Called once, when the keys are attributes. Make the sets here."""

    def set(self, at: LawAt) -> tuple[Set, float]:
        """The set of admissible impulses in this step, and its scale: N s, or a coefficient where `of_normal`."""
        raise NotImplementedError

    @classmethod
    def _register(cls, context: Any, ops: Any) -> int:
        return lib.ss_register_law(context, ops)

    @classmethod
    def _ops(cls, kind: _Kind, number: int) -> Any:
        for attribute, known in (("law_class", _CLASSES), ("rows", _ROWS)):
            if getattr(cls, attribute, None) not in known:
                raise InputError(f"law '{cls.name}': {attribute} is {getattr(cls, attribute, None)!r}; "
                                 f"it can be {', '.join(map(repr, known))}")
        ops = ffi.new("ss_law_ops *")
        kind.fill(ops.type, number, ffi.sizeof("ss_law_ops"))
        ops.law_class, ops.row_kinds, ops.each_row = _CLASSES[cls.law_class], _ROWS[cls.rows], cls.each_row
        ops.words = [kind.keep(word) for word in cls.words]
        ops.init, ops.destroy, ops.set = lib.ss_python_init, lib.ss_python_destroy, lib.ss_python_law_set
        for name, flag in _OPTIONAL.items():
            if hasattr(cls, name):
                ops.flags |= flag
                setattr(ops, name, getattr(lib, f"ss_python_law_{name}"))
        for word in cls.depends:
            ops.flags |= _DEPENDS[word]
        if cls.depends:
            ops.set_kind = lib.ss_python_law_set_kind
        else:
            ops.flags |= lib.SS_LAW_CONSTANT_SET
        return ops

    def _begin(self, setup: Any) -> None:
        self.dim, self._kept = lib.ss_setup_dim(setup), {}
        if self.of_normal:
            self._kind.context().check(lib.ss_setup_scale_from(setup, ffi.new("ss_text *")))  # type: ignore[union-attr]
        self.setup()

    def _c_set(self, given: Any) -> Any:
        if not isinstance(given, Set) or given.dim != self.dim:
            raise InputError(f"law '{self.name}': {given!r} is no set in {self.dim} dimensions")
        self._kept[given._c] = given  # as long as the model
        return given._c


def _law_at(at: Any) -> LawAt:
    return LawAt(at.t, at.dt, at.dim, _read(at.g, at.dim), _read(at.gamma, at.dim) if at.gamma else None)


@_calls("ss_python_law_level")
def _law_level(law: Any, at: Any, level: Any) -> None:
    given = law.level(_law_at(at))
    if given not in _LEVELS:
        raise InputError(f"law '{law.name}': level() gave {given!r}; it can be {', '.join(map(repr, _LEVELS))}")
    level[0] = _LEVELS[given]


@_calls("ss_python_law_set")
def _law_set(law: Law, at: Any, found: Any) -> None:
    given, scale = law.set(_law_at(at))
    if not scale >= 0.0:
        raise InputError(f"law '{law.name}': set() gave the scale {scale}; it must not be negative")
    found.set, found.scale = law._c_set(given), scale


def _numbers_of(name: str) -> None:
    @_calls(f"ss_python_law_{name}")
    def _(law: Law, at: Any, values: Any) -> None:
        given = getattr(law, name)(_law_at(at))
        np.frombuffer(ffi.buffer(values, 8 * at.dim), float)[:] = _written(given, at.dim, f"law '{law.name}': {name}()")


for _name in ("impressed", "added", "correction", "distance"):
    _numbers_of(_name)


@_calls("ss_python_law_potential")
def _law_potential(law: Any, dim: int, g: Any, V: Any) -> None:
    V[0] = law.potential(_read(g, dim))


@ffi.def_extern(error=ffi.NULL)
def ss_python_law_set_kind(self_c: Any, dim: int, i: int) -> Any:
    law: Any = _objects[ffi.cast("uint64_t *", self_c)[0]]
    try:
        given = law.sets(dim)
        return law._c_set(given[i]) if i < len(given) else ffi.NULL
    except BaseException as error:  # pylint: disable=broad-except # handed over
        _raised(law._kind, error)
        return ffi.NULL


# ---- Controllers ----------------------------------------------------------------------------------------------------


class Controller(_Typed):
    """A type of controller. Scenes that are loaded with `types=[Holding]` may use it:

        class Holding(stickslip.Controller):
            \"\"\"Keeps a mass where it is wanted.\"\"\"
            name = "holding"
            observes = ["x", "x'"]
            inputs = ["force"]
            initial = [0.0]
            gain = stickslip.Number(unit="N/m", doc="Force for each unit of missing position.")

            def sample(self, t, y, x):
                position, speed = y
                x[0] += position
                return [-self.gain * position - 0.1 * x[0] - speed]

    `controllers: {hold: {type: holding, period: 0.01, gain: 20}}` makes an object of it, whose keys are then attributes.
    The same arguments must give the same values: what it remembers is in x, which is part of the state. An exception ends
    the run and is raised by it. For a function without keys there is `stickslip.controller`.
    """

    observes: Sequence[str] = ()  #: expressions of the state, as those of outputs; may be set in setup()
    inputs: Sequence[str] = ()  #: inputs that it sets; may be set in setup()
    initial: Sequence[float] = ()  #: its states before the first sample; may be set in setup()

    def setup(self) -> None:
        """Called once, when the keys are attributes. Raise InputError when they do not fit."""

    def sample(self, t: float, y: np.ndarray, x: np.ndarray) -> ArrayLike:
        """The values of the inputs, from what it observes, y, and its states x, which may be changed in place."""
        raise NotImplementedError

    @classmethod
    def _register(cls, context: Any, ops: Any) -> int:
        return lib.ss_register_controller(context, ops)

    @classmethod
    def _ops(cls, kind: _Kind, number: int) -> Any:
        ops = ffi.new("ss_controller_ops *")
        kind.fill(ops.type, number, ffi.sizeof("ss_controller_ops"))
        ops.init, ops.destroy = lib.ss_python_init, lib.ss_python_destroy
        ops.sample = lib.ss_python_controller_sample
        return ops

    def _begin(self, setup: Any) -> None:
        context, index = self._kind.context(), ffi.new("int *")
        where = lib.ss_setup_location(setup)
        self.setup()
        if isinstance(self.observes, str) or isinstance(self.inputs, str):
            raise InputError(f"controller '{self.name}': observes and inputs are lists of texts")
        initial = np.array(self.initial, dtype=float)
        for name, call in ((name, lib.ss_setup_control) for name in self.inputs):
            self._declare(context, call, setup, name, where, index)
        for name, call in ((name, lib.ss_setup_observe) for name in self.observes):
            self._declare(context, call, setup, name, where, index)
        numbers = ffi.new("double[]", initial.tolist())
        if len(initial):
            context.check(lib.ss_setup_states(setup, len(initial), ffi.NULL, numbers))  # type: ignore[union-attr]

    @staticmethod
    def _declare(context: Any, call: Any, setup: Any, name: str, where: Any, index: Any) -> None:
        given = ffi.new("char[]", name.encode())
        status = call(setup, ffi.new("ss_text *", {"text": given, "where": where}), index)
        if status:
            context.check(status)


@_calls("ss_python_controller_sample")
def _sample(controller: Controller, at: Any) -> None:
    n, n_x = len(controller.inputs), len(controller.initial)
    x = np.frombuffer(ffi.buffer(at.x, 8 * n_x), float) if n_x else np.empty(0)
    given = controller.sample(at.t, _read(at.y, len(controller.observes)), x)
    values = _written(given, n, f"controller '{controller.name}': sample()")
    for i in range(n):
        at.value[i] = values[i]


def controller(*, observes: Sequence[str], inputs: Sequence[str], initial: Sequence[float] = (),
               name: str | None = None) -> Callable[[Callable[[float, np.ndarray, np.ndarray], ArrayLike]], type[Controller]]:
    """Makes a type of controller of a function of t, of what it observes and of its states:

        @stickslip.controller(observes=["x", "x'"], inputs=["force"])
        def hold(t, y, x):
            return -20 * y[0] - 5 * y[1]

        scene = stickslip.load("mass.yaml", types=[hold])     # with controllers: {c: {type: hold, period: 0.01}}

    name: of the type; that of the function unless given.
    """

    def make(function: Callable[[float, np.ndarray, np.ndarray], ArrayLike]) -> type[Controller]:
        members = {"name": name or function.__name__, "__doc__": inspect.getdoc(function) or "A controller in Python.",
                   "observes": tuple(observes), "inputs": tuple(inputs), "initial": tuple(initial),
                   "sample": lambda self, t, y, x: function(t, y, x)}
        return type(function.__name__, (Controller,), members)

    return make
