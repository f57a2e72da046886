"""The library underneath: contexts, lifetimes, messages, and arguments by name."""
from __future__ import annotations

import atexit
import itertools
import json
import logging
import os
import re
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native  # type: ignore[attr-defined]

ffi, lib = _native.ffi, _native.lib

DOUBLES = ffi.typeof("double[]")  # found once: looking it up costs
logger = logging.getLogger("stickslip")

# ---- Messages ----------------------------------------------------------------------------------------------------


class Error(Exception):
    """A failure, with the message of the library: what, where, what would be valid.

    Attributes:
        status: its kind in words, "bad input".
        file, line, column: where in a text it is; None, 0 and 0 when the message names no place.
    """

    status = ""
    _place = re.compile(r"(.*?):(\d+):(\d+): ")

    def __init__(self, message: str) -> None:
        super().__init__(message)
        place = self._place.match(message)
        self.file: str | None = place.group(1) if place else None
        self.line = int(place.group(2)) if place else 0
        self.column = int(place.group(3)) if place else 0


class InputError(Error, ValueError):
    """Bad input."""


class UnknownNameError(InputError):
    """A name that nothing has."""


class NotConvergedError(Error, ArithmeticError):
    """A solve that did not converge, with `on_failure: stop`."""


class NonFiniteError(Error, ArithmeticError):
    """A number that is not finite."""


class SingularError(Error, ArithmeticError):
    """A mass matrix that cannot be inverted."""


class UnsupportedError(Error, NotImplementedError):
    """What a scheme, a solver or a law cannot do, with the reason."""


class FileError(Error, OSError):
    """Reading or writing a file failed."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory."""


class Stopped(Error):
    """An observer ended the run by SS_STOPPED."""


_ERRORS: dict[int, type[Error]] = {
    lib.SS_MEMORY: OutOfMemoryError, lib.SS_INPUT: InputError, lib.SS_UNKNOWN_NAME: UnknownNameError,
    lib.SS_NOT_CONVERGED: NotConvergedError, lib.SS_NON_FINITE: NonFiniteError, lib.SS_SINGULAR: SingularError,
    lib.SS_UNSUPPORTED: UnsupportedError, lib.SS_IO: FileError, lib.SS_STOPPED: Stopped,
}


def text(pointer: Any) -> str:
    """A C string."""
    return ffi.string(pointer).decode("utf-8", "replace")


for _status, _error in _ERRORS.items():
    _error.status = text(lib.ss_status_name(_status))

# ---- Lifetimes ---------------------------------------------------------------------------------------------------

_guard = threading.RLock()  # of the counts below


class Life:
    """Counts what needs a C object, and destroys it after the last of them.

    Python may collect objects in any order and in any thread. A child is destroyed before what it was made from, and never
    while another thread works with their context: then it waits for that work to end.
    """

    over = False  # the interpreter ends: memory goes with the process
    __slots__ = ("pointer", "destroy", "parents", "count", "lock", "waiting", "kept")

    def __init__(self, pointer: Any, destroy: Callable[[Any], None], *parents: Life) -> None:
        self.pointer, self.destroy, self.parents, self.count = pointer, destroy, parents, 1
        self.lock: threading.RLock = parents[0].lock if parents else threading.RLock()  # type: ignore[valid-type]
        self.waiting: list[Life] = parents[0].waiting if parents else []
        self.kept: list[Any] = []  # what the object uses without owning it
        for parent in parents:
            parent.retain()

    def retain(self) -> Life:
        with _guard:
            self.count += 1
        return self

    def drop(self) -> None:
        if self.over:
            return
        with _guard:
            self.count -= 1
            if self.count > 0:
                return
        self.waiting.append(self)
        sweep(self.lock, self.waiting)


atexit.register(setattr, Life, "over", True)


def sweep(lock: Any, waiting: list[Life]) -> None:
    """Destroys what nobody needs, unless another thread works with the context: it will call this once more."""
    while waiting and lock.acquire(blocking=False):
        try:
            while waiting:
                life = waiting.pop(0)
                life.destroy(life.pointer)
                for parent in reversed(life.parents):
                    parent.drop()
        finally:
            lock.release()


def own(pointer: Any, destroy: Callable[[Any], None], *parents: Life) -> tuple[Any, Life]:
    """A pointer that destroys its object when it is collected, and the life of that object."""
    life = Life(pointer, destroy, *parents)
    return ffi.gc(pointer, lambda _: life.drop()), life


def borrow(pointer: Any, life: Life) -> Any:
    """A pointer into an object, which lives as long as the pointer."""
    life.retain()
    return ffi.gc(pointer, lambda _: life.drop())


def view(pointer: Any, count: int, dtype: Any, life: Life, writable: bool = False) -> np.ndarray:
    """`count` numbers of the library as an array, without a copy. The array keeps their owner alive."""
    dtype = np.dtype(dtype)
    if count == 0:
        return np.empty(0, dtype)
    array = np.frombuffer(ffi.buffer(borrow(pointer, life), count * dtype.itemsize), dtype)
    array.flags.writeable = writable
    return array


class Locked:
    """Work with a context, by one thread at a time: `with Locked(context)`."""

    __slots__ = ("_life",)

    def __init__(self, life: Life) -> None:
        self._life = life

    def __enter__(self) -> None:
        self._life.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._life.lock.release()
        if self._life.waiting:
            sweep(self._life.lock, self._life.waiting)


# ---- Context -----------------------------------------------------------------------------------------------------

_LEVELS = {lib.SS_LOG_ERROR: logging.ERROR, lib.SS_LOG_WARNING: logging.WARNING, lib.SS_LOG_INFO: logging.INFO,
           lib.SS_LOG_DEBUG: logging.DEBUG}

Log = Callable[[int, str], object]
_numbers = itertools.count(1)
_contexts: weakref.WeakValueDictionary[int, Context] = weakref.WeakValueDictionary()


@ffi.def_extern()
def ss_python_log(user: Any, level: int, message: Any) -> None:
    context = _contexts.get(int(ffi.cast("uintptr_t", user)))
    if context is None:
        return
    try:
        context.log(_LEVELS[level], text(message))
    except BaseException as error:  # pylint: disable=broad-except # it goes to whoever called the library
        context.pending = context.pending or error


class Context:
    """What everything is made in: the registered types, the last message, and a lock.

    Functions of the package that make something take care of it. One thread at a time works with a context and what was
    made in it; others wait.
    """

    def __init__(self, threads: int = 1, log: Log | None = None) -> None:
        self.number = next(_numbers)
        self.log: Log = log or logger.log
        self.pending: BaseException | None = None  # raised by Python in a function that C called
        _contexts[self.number] = self
        options = ffi.new("ss_context_options *", lib.ss_default_context())
        options.threads = threads
        options.log, options.log_user = lib.ss_python_log, ffi.cast("void *", self.number)
        made = ffi.new("ss_context **")
        status = lib.ss_context_create(options, made)
        if status:
            raise _ERRORS[status](f"{_ERRORS[status].status}: a context with {threads} threads (1 … 1024)")
        self.c, self.life = own(made[0], lib.ss_context_destroy)
        self.locked = Locked(self.life)

    def check(self, status: int) -> None:
        """Raises the failure of a call, or what Python raised within it."""
        if status or self.pending:
            self.fail(status)

    def fail(self, status: int) -> None:
        if self.pending is not None:
            error, self.pending = self.pending, None
            raise error
        raise _ERRORS[status](text(lib.ss_context_message(self.c)))


_local = threading.local()


def shared() -> Context:
    """The context of this thread, for what needs none of its own: sets, inclusions, impacts."""
    context = getattr(_local, "context", None)
    if context is None:
        context = _local.context = Context()
    return context


# ---- What Python says, as texts of scenes ---------------------------------------------------------------------------


def plain(value: Any, where: str = "scene") -> Any:
    """A value as JSON has it: NumPy's numbers and arrays as lists, infinite numbers as formulas."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if value != value:
            raise InputError(f"{where}: not a number; a number is finite, inf or -inf")
        return value if abs(value) != float("inf") else "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {str(key): plain(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, Iterable):
        return [plain(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise InputError(f"{where}: {value!r} is a {type(value).__name__}; a scene has texts, numbers, truth values, lists and dicts")


def dumped(scene: Mapping[str, Any], where: str = "scene") -> str:
    """A dict as a text that the library reads."""
    if not isinstance(scene, Mapping):
        raise InputError(f"{where}: a scene is a dict, not a {type(scene).__name__}; parse() takes a text, load() a file")
    return json.dumps(plain(scene, where), indent=1, ensure_ascii=False)


def words(given: Mapping[str, Any] | None) -> list[str]:
    """{"mu": 0.3} as ["mu=0.3"]."""
    found = []
    for key, value in (given or {}).items():
        value = plain(value, key)
        found.append(f"{key}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
    return found


def arguments(context: Context, given: Mapping[str, Any]) -> Any:
    """Options by name as ss_args, destroyed when they are collected."""
    made = ffi.new("ss_args **")
    context.check(lib.ss_args_create(context.c, made))
    args, _ = own(made[0], lib.ss_args_destroy, context.life)
    for key, value in given.items():
        name, value = key.encode(), plain(value, key)
        if isinstance(value, bool):
            value = "true" if value else "false"
        if isinstance(value, str):
            context.check(lib.ss_args_set_text(args, name, value.encode()))
        elif isinstance(value, (int, float)):
            context.check(lib.ss_args_set_real(args, name, value))
        else:
            try:
                numbers = np.atleast_1d(np.asarray(value, float))
            except (TypeError, ValueError):
                raise InputError(f"{key}: {value!r} is no number, text, list of numbers or matrix") from None
            pointer = ffi.from_buffer(DOUBLES, np.ascontiguousarray(numbers))
            if numbers.ndim == 1:
                context.check(lib.ss_args_set_reals(args, name, len(numbers), pointer))
            else:
                context.check(lib.ss_args_set_matrix(args, name, *numbers.shape, pointer))
    return args


# ---- Types -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Key:
    """One option of a type."""

    name: str
    kind: str  #: "real", "int", "bool", "choice", "text", "expression", "reals", "matrix", "texts", "expressions", "set", "sets"
    default: str | None  #: as it would be written; None: it must be given
    unit: str
    doc: str


@dataclass(frozen=True)
class Type:
    """A type that scenes and functions know by name."""

    name: str
    doc: str
    keys: tuple[Key, ...]


_KINDS = ("real", "int", "bool", "choice", "text", "expression", "reals", "matrix", "texts", "expressions",
          "set", "sets")


def _key(key: Any) -> Key:
    kind = _KINDS[key.kind]
    if key.choices:
        kind += ": " + text(key.choices)
    return Key(text(key.name), kind, text(key.default_value) if key.default_value else None,
               text(key.unit) if key.unit else "", text(key.doc) if key.doc else "")


def types(kind: str) -> dict[str, Type]:
    """Built-in types of a kind, by name, with their keys.

    kind: "set", "solver", "system", "element", "law", "force", "shape", "scheme" or "simulation".

    >>> types("solver")["sorprox"].keys[0].name
    'tolerance'
    """
    context = shared()
    kinds = [text(lib.ss_type_kind_name(k)) for k in range(lib.SS_TYPE_KINDS)]
    if kind not in kinds:
        raise InputError(f"there is no kind {kind!r}; kinds: {', '.join(kinds)}")
    found: dict[str, Type] = {}
    for index in itertools.count():
        pointer = lib.ss_type_at(context.c, kinds.index(kind), index)
        if not pointer:
            return found
        keys = itertools.takewhile(lambda key: key.name, (pointer.keys[i] for i in itertools.count())) if pointer.keys else ()
        found[text(pointer.name)] = Type(text(pointer.name), text(pointer.doc), tuple(_key(key) for key in keys))
    raise AssertionError
