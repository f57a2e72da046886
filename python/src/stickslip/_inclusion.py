"""Convex sets, inclusions and their solvers on NumPy arrays."""
from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import DOUBLES, Context, InputError, Life, _local, arguments, ffi, lib, own, shared, text
from ._scene import SolveReport, report_of

# ---- Sets ---------------------------------------------------------------------------------------------------------

_SET_KINDS = ("other", "free", "half_line", "negative_half_line", "interval", "disk", "ball", "uneven_interval", "ellipse",
              "ellipsoid", "polygon", "cone", "product")


class Set:
    """A closed convex set C of admissible forces, and its multiples s C.

    >>> disk = Set("disk", 2)
    >>> disk.prox([3.0, 4.0], scale=2.0)
    array([1.2, 1.6])
    >>> disk.support([3.0, 4.0])
    5.0
    """

    def __init__(self, name: str, dim: int = 0, **options: Any) -> None:
        """name: a type, `types("set")` lists them. dim: 0 is the only dimension that the type has. options: its keys."""
        context = shared()
        made = ffi.new("ss_set **")
        with context.locked:
            context.check(lib.ss_set_create(context.c, name.encode(), arguments(context, options), ffi.NULL, dim, made))
        self._adopt(context, made[0], name)

    def _adopt(self, context: Context, pointer: Any, name: str, *parents: Life) -> None:
        self._context, self.name = context, name
        self._c, self._life = own(pointer, lib.ss_set_destroy, context.life, *parents)
        self.dim: int = self._c.dim  #: its dimension
        self.kind: str = _SET_KINDS[self._c.kind]  #: what it is: "disk"; "other" when its functions alone tell

    @classmethod
    def product(cls, factors: Sequence[Set]) -> Set:
        """C₁ × … × Cₙ."""
        context, made = shared(), ffi.new("ss_set **")
        with context.locked:
            context.check(lib.ss_set_product_create(context.c, len(factors), [f._c for f in factors], made))
        product = cls.__new__(cls)
        product._adopt(context, made[0], "product", *(f._life for f in factors))
        return product

    def _points(self, x: ArrayLike, scale: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        points = np.ascontiguousarray(x, dtype=float)
        if points.ndim == 0 or points.shape[-1] != self.dim:
            raise InputError(f"the set '{self.name}' has {self.dim} dimensions; the points have the shape {points.shape}")
        scales = np.broadcast_to(np.asarray(scale, dtype=float), points.shape[:-1]).copy()
        if not np.all(scales >= 0.0):
            raise InputError("a set is scaled by numbers that are not negative")
        return points, scales

    def prox(self, x: ArrayLike, scale: ArrayLike = 1.0) -> np.ndarray:
        """The nearest point of s C. x: one point, or many (… × dim), with one scale or one for each."""
        points, scales = self._points(x, scale)
        nearest = np.empty_like(points)
        lib.ss_python_prox(self._c, scales.size, ffi.from_buffer(DOUBLES, scales), ffi.from_buffer(DOUBLES, points),
                           ffi.from_buffer(DOUBLES, nearest))
        return nearest

    def prox_metric(self, R: ArrayLike, x: ArrayLike, scale: float = 1.0) -> np.ndarray:
        """The y in s C that minimizes (x - y)ᵀ R (x - y), R symmetric and positive definite; UnsupportedError when the set
        has no way to it."""
        metric = np.ascontiguousarray(R, dtype=float)
        point, _ = self._points(x, scale)
        if metric.shape != (self.dim, self.dim) or point.ndim != 1:
            raise InputError(f"the set '{self.name}' has {self.dim} dimensions; R has the shape {metric.shape}, x {point.shape}")
        nearest = np.empty_like(point)
        with self._context.locked:
            self._context.check(lib.ss_set_prox_metric(
                self._context.c, self._c, scale, ffi.from_buffer(DOUBLES, metric), ffi.from_buffer(DOUBLES, point),
                ffi.from_buffer(DOUBLES, nearest)))
        return nearest

    def distance(self, x: ArrayLike, scale: ArrayLike = 1.0) -> np.ndarray:
        """The vector x - prox(x)."""
        return np.asarray(x, dtype=float) - self.prox(x, scale)

    def contains(self, x: ArrayLike, scale: ArrayLike = 1.0, tolerance: float = 0.0) -> np.ndarray | bool:
        """Whether x is in s C, or not farther from it than the tolerance."""
        points, scales = self._points(x, scale)
        inside = np.empty(scales.shape, dtype=np.bool_)
        lib.ss_python_contains(self._c, scales.size, ffi.from_buffer(DOUBLES, scales), ffi.from_buffer(DOUBLES, points),
                               tolerance, ffi.from_buffer("_Bool[]", inside))
        return inside if inside.ndim else bool(inside)

    def support(self, v: ArrayLike, scale: ArrayLike = 1.0) -> np.ndarray | float:
        """The support function sup {xᵀv | x in s C}; may be inf."""
        points, scales = self._points(v, scale)
        values = np.empty(scales.shape)
        lib.ss_python_support(self._c, scales.size, ffi.from_buffer(DOUBLES, scales), ffi.from_buffer(DOUBLES, points),
                              ffi.from_buffer(DOUBLES, values))
        return values if values.ndim else float(values)

    def __repr__(self) -> str:
        return f"<set '{self.name}' in {self.dim} dimension{'s' if self.dim > 1 else ''}>"


# ---- Solutions ------------------------------------------------------------------------------------------------------


class Solution:
    """A solution of an inclusion, and how it was found."""

    __slots__ = ("P", "_report", "_gamma")

    def __init__(self, P: np.ndarray, report: Any, gamma: Callable[[np.ndarray], np.ndarray]) -> None:
        self.P = P  #: the impulses
        self._report, self._gamma = report, gamma

    @property
    def gamma(self) -> np.ndarray:
        """G P + c, the velocities that belong to P."""
        return self._gamma(self.P)

    @property
    def report(self) -> SolveReport:
        """How the solve ended."""
        return report_of(self._report)

    @property
    def converged(self) -> bool:
        """Whether it ended as the solver's options ask. Nothing is raised when it does not."""
        return bool(lib.ss_outcome_accepted(self._report.outcome))

    @property
    def outcome(self) -> str:
        """"converged", "settled", "iterations used up" or "diverged"."""
        return text(lib.ss_outcome_name(self._report.outcome))

    @property
    def iterations(self) -> int:
        """Sweeps over all blocks."""
        return self._report.iterations

    @property
    def residual(self) -> float:
        """The relative residual at P, whatever the stop criterion was."""
        return self._report.residual.value

    def __repr__(self) -> str:
        return f"<solution: {self.outcome} after {self.iterations} iterations, residual {self.residual:.3g}, P = {self.P}>"


REPORT = ffi.typeof("ss_solve_report *")

Trace = Callable[[int, np.ndarray], object]
_traces: dict[int, tuple[Trace, int, Context]] = {}
_trace_numbers = itertools.count(1)


@ffi.def_extern()
def ss_python_trace(user: Any, iteration: int, P: Any) -> None:
    trace, rows, context = _traces[int(ffi.cast("uintptr_t", user))]
    try:
        trace(iteration, np.frombuffer(ffi.buffer(P, 8 * rows), float).copy())
    except BaseException as error:  # pylint: disable=broad-except # raised once the solver has returned
        context.pending = context.pending or error


def _solver(context: Context, name: str, options: dict[str, Any]) -> Any:
    """A solver of this thread, made once for each choice of options."""
    try:
        solvers = _local.solvers
    except AttributeError:
        solvers = _local.solvers = {}
    try:
        key: Any = (name, *options.items()) if options else name
        found = solvers.get(key)
    except TypeError:  # an option that is a list
        key, found = None, None
    if found is None:
        made = ffi.new("ss_solver **")
        with context.locked:
            args = arguments(context, options) if options else ffi.NULL
            context.check(lib.ss_solver_create(context.c, name.encode(), args, ffi.NULL, made))
        found, _ = own(made[0], lib.ss_solver_destroy, context.life)
        if len(solvers) >= 64:
            solvers.clear()
        if key is not None:
            solvers[key] = found
    return found


def _guess(P: ArrayLike | None, rows: int) -> np.ndarray:
    if P is None:
        return np.zeros(rows)
    guess = np.array(P, dtype=float)
    if guess.shape != (rows,):
        raise InputError(f"the first guess P has the shape {guess.shape}; the inclusion has {rows} rows")
    return guess


def _solve(context: Context, call: Callable[[Any, Any, Any], int], rows: int, solver: str, P: ArrayLike | None,
           trace: Trace | None, options: dict[str, Any]) -> tuple[np.ndarray, Any]:
    """`call` with a solver, the place of P and that of the report."""
    c = _solver(context, solver, options)
    solution, report = _guess(P, rows), ffi.new(REPORT)
    lock = context.life.lock
    lock.acquire()
    try:
        if trace:
            number = next(_trace_numbers)
            _traces[number] = (trace, rows, context)
            lib.ss_solver_set_trace(c, lib.ss_python_trace, ffi.cast("void *", number))
        try:
            status = call(c, ffi.from_buffer(DOUBLES, solution), report)
        finally:
            if trace:
                lib.ss_solver_set_trace(c, ffi.NULL, ffi.NULL)
                del _traces[number]
        if status or context.pending:
            context.fail(status)
    finally:
        lock.release()
    return solution, report


def solve(W: ArrayLike, q: ArrayLike, mu: ArrayLike, *, solver: str = "auto", P: ArrayLike | None = None,
          dimension: int | None = None, trace: Trace | None = None, **options: Any) -> Solution:
    """Solves a problem of frictional contact: W P + q = u, and for each contact, normal row first, 0 ≤ u_N ⊥ P_N ≥ 0 and
    Coulomb's law with the coefficient mu between P_T and u_T.

    W: rows × rows, q: rows. mu: one for each contact; a number is that of all.
    solver: by name, `types("solver")` lists them; options are its keys: tolerance=1e-12.
    P: the first guess; None: zero.
    dimension: rows of a contact, 2 in the plane and 3 in space; None: as many as q has for each mu, or 3 when mu is a number.
    trace: called with each iterate, `trace(iteration, P)`; iteration 0 is the first guess.

    A ball on the floor is pushed sideways, harder than friction can hold:

    >>> solution = solve(W=np.eye(2), q=[-1.0, 2.0], mu=[0.3])
    >>> solution.P
    array([ 1. , -0.3])
    >>> solution.gamma
    array([0. , 1.7])
    """
    W, q, mu = np.asarray(W, float, "C"), np.asarray(q, float, "C"), np.asarray(mu, float, "C")
    rows = q.size
    if mu.ndim == 0:
        dimension = dimension or 3
        mu = np.full(rows // dimension, mu)
    contacts = mu.size
    dimension = dimension or (rows // contacts if contacts else 3)
    if W.shape != (rows, rows) or q.ndim != 1 or mu.ndim != 1 or contacts * dimension != rows or dimension not in (2, 3):
        raise InputError(f"W has the shape {W.shape}, q {q.shape} and mu {mu.shape}; they must be n·d × n·d, n·d and n "
                         f"for n contacts of d = 2 or 3 rows")
    context, buffer = shared(), ffi.from_buffer

    def call(c: Any, guess: Any, report: Any) -> int:
        return lib.ss_python_solve(context.c, c, dimension, contacts, buffer(DOUBLES, W), buffer(DOUBLES, q),
                                   buffer(DOUBLES, mu), guess, report)

    solution, report = _solve(context, call, rows, solver, P, trace, options)
    return Solution(solution, report, lambda P: W @ P + q)


# ---- Inclusions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """One local law: P_i in scale · set, or, with scale_from = j, in (scale · |P_j|) · set."""

    set: Set
    scale: float = 1.0  #: N s, or the friction coefficient where scale_from is given
    scale_from: int | None = None  #: the block whose impulse scales the set (Coulomb)
    r: float = 0.0  #: relaxation in place of the solver's choice; 0: the solver's
    rigidity: float = 0.0  #: of the spring that stands for the block where forces are weighted, N/m; 0: 1


class Inclusion:
    """The normal cone inclusion -(G P + c) ∈ N_C(P), C the product of the blocks' sets.

    A ball that rests on the floor and against a wall is pushed away from the wall:

    >>> line = Set("half_line")
    >>> inclusion = Inclusion([[1, 0.5], [0.5, 1]], [-1, 0.2], [line, line])
    >>> solution = inclusion.solve()
    >>> solution.P, solution.gamma
    (array([1., 0.]), array([0. , 0.7]))
    >>> inclusion.modes(solution.P)
    ['constraint', 'impressed']
    """

    def __init__(self, G: ArrayLike, c: ArrayLike, blocks: Sequence[Block | Set]) -> None:
        """G: rows × rows, c: rows. blocks: one for each group of rows that obey one law, in their order."""
        matrix, vector = np.ascontiguousarray(G, dtype=float), np.ascontiguousarray(c, dtype=float)
        self.blocks = tuple(b if isinstance(b, Block) else Block(b) for b in blocks)  #: its laws
        rows = sum(block.set.dim for block in self.blocks)
        if matrix.shape != (rows, rows) or vector.shape != (rows,):
            raise InputError(f"the blocks have {rows} rows; G has the shape {matrix.shape} and c {vector.shape}")
        context, made = shared(), ffi.new("ss_inclusion **")
        given = ffi.new("ss_block[]", max(len(self.blocks), 1))
        offset = 0
        for c_block, block in zip(given, self.blocks):
            c_block.set, c_block.offset, c_block.dim = block.set._c, offset, block.set.dim
            c_block.scale_from = -1 if block.scale_from is None else block.scale_from
            c_block.scale, c_block.r, c_block.rigidity = block.scale, block.r, block.rigidity
            offset += block.set.dim
        with context.locked:
            context.check(lib.ss_inclusion_from_dense(context.c, len(self.blocks), given, ffi.from_buffer(DOUBLES, matrix),
                                                      ffi.from_buffer(DOUBLES, vector), made))
            owned, life = own(made[0], lib.ss_inclusion_destroy, context.life, *(block.set._life for block in self.blocks))
            context.check(lib.ss_inclusion_check(context.c, owned))
        self._adopt(context, owned, life)

    def _adopt(self, context: Context, c: Any, life: Life) -> None:
        self._context, self._c, self._life, self.rows = context, c, life, int(c.n_rows)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Inclusion:
        """A problem of frictional contact from a file: FCLib's HDF5, local or global, or a text (docs/solvers.md)."""
        context, made = shared(), ffi.new("ss_problem **")
        with context.locked:
            context.check(lib.ss_problem_read(context.c, os.fsencode(path), made))
        problem, life = own(made[0], lib.ss_problem_destroy, context.life)
        found = cls.__new__(cls)
        found._problem = problem
        found._adopt(context, lib.ss_problem_inclusion(problem), life)
        found.blocks = ()
        return found

    @property
    def G(self) -> np.ndarray:
        """The matrix, dense."""
        matrix = np.zeros((self.rows, self.rows))
        for i in range(self._c.n_blocks):
            row = self._c.blocks[i]
            for k in range(self._c.entry_start[i], self._c.entry_start[i + 1]):
                entry = self._c.entries[k]
                column = self._c.blocks[entry.column]
                block = np.frombuffer(ffi.buffer(entry.value, 8 * row.dim * column.dim)).reshape(row.dim, column.dim)
                matrix[row.offset:row.offset + row.dim, column.offset:column.offset + column.dim] = block
        return matrix

    @property
    def c(self) -> np.ndarray:
        """The vector."""
        return np.frombuffer(ffi.buffer(self._c.c, 8 * self.rows)).copy() if self.rows else np.empty(0)

    def velocity(self, P: ArrayLike) -> np.ndarray:
        """G P + c."""
        given, found = _guess(P, self.rows), np.empty(self.rows)
        for i in range(self._c.n_blocks):
            offset = self._c.blocks[i].offset
            lib.ss_inclusion_velocity(self._c, ffi.from_buffer(DOUBLES, given), ffi.NULL, i,
                                      ffi.cast("double *", ffi.from_buffer(DOUBLES, found)) + offset)
        return found

    def solve(self, solver: str = "auto", P: ArrayLike | None = None, trace: Trace | None = None, **options: Any) -> Solution:
        """Solves it. solver, P, trace and options: as stickslip.solve."""
        def call(c: Any, guess: Any, report: Any) -> int:
            return lib.ss_solver_solve(c, self._c, guess, ffi.NULL, report)

        solution, report = _solve(shared(), call, self.rows, solver, P, trace, options)
        return Solution(solution, report, self.velocity)

    def residual(self, P: ArrayLike) -> float:
        """How well P solves it, relative (docs/solvers.md)."""
        given = _guess(P, self.rows)
        return lib.ss_inclusion_residual(self._c, ffi.from_buffer(DOUBLES, given), ffi.NULL).value

    def modes(self, P: ArrayLike, tolerance: float = 1e-8) -> list[str]:
        """Of each block at the solution P: "constraint", when the force is inside of its set (closed, sticking), or
        "impressed", when it is on its edge (open, sliding)."""
        given, made = _guess(P, self.rows), ffi.new("ss_mode[]", max(self._c.n_blocks, 1))
        lib.ss_inclusion_modes(self._c, ffi.from_buffer(DOUBLES, given), ffi.NULL, tolerance, made)
        return ["constraint" if made[i] == lib.SS_MODE_CONSTRAINT else "impressed" for i in range(self._c.n_blocks)]

    def write(self, path: str | os.PathLike[str], P: ArrayLike | None = None, title: str = "") -> None:
        """Writes a local problem of FCLib, with P as its solution."""
        solution = ffi.NULL if P is None else ffi.from_buffer(DOUBLES, _guess(P, self.rows))
        with self._context.locked:
            self._context.check(lib.ss_inclusion_write_fclib(self._context.c, self._c, solution, title.encode(), os.fsencode(path)))

    def __repr__(self) -> str:
        return f"<inclusion: {self._c.n_blocks} blocks, {self.rows} rows>"
