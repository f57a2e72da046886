"""What the Python package costs beside the library: least times of loops that take turns, in microseconds a call.

    PYTHONPATH=build/release/python python3 bench/python_costs.py
"""
import time

import numpy as np
import stickslip
from stickslip._core import DOUBLES, ffi, lib, shared
from stickslip._inclusion import _solver

ROUNDS, CALLS = 400, 100


def least(*functions):
    times = [float("inf")] * len(functions)
    for _ in range(ROUNDS):
        for i, function in enumerate(functions):
            begin = time.perf_counter()
            for _ in range(CALLS):
                function()
            times[i] = min(times[i], time.perf_counter() - begin)
    return [1e6 * t / CALLS for t in times]


def step():
    scene = stickslip.build({"systems": {"ball": {"type": "point", "dim": 1, "mass": 1, "velocity": 1}},
                             "simulation": {"step": 1e-6, "end": 1e3}})
    simulation, made = scene.simulation, ffi.new("ss_step *")
    c, advance = simulation._c, lib.ss_simulation_advance

    def loop():
        simulation.step()
        simulation.q
    return least(lambda: advance(c, made), simulation.step, loop, lambda: None)


def solve():
    W, q, mu = np.eye(6) + 0.1, np.array([-1, 2, 0, -1, 0.1, 0.1]), np.array([0.3, 0.3])
    context = shared()
    solver, made, report = _solver(context, "auto", {}), ffi.new("ss_problem **"), ffi.new("ss_solve_report *")
    P = np.zeros(6)
    given = [ffi.from_buffer(DOUBLES, x) for x in (W, q, mu, P)]
    lib.ss_problem_from_dense(context.c, 3, 2, *given[:3], made)
    inclusion = lib.ss_problem_inclusion(made[0])
    cold = lambda: (P.fill(0.0), lib.ss_solver_solve(solver, inclusion, given[3], ffi.NULL, report))
    other = ffi.new("ss_problem **")

    def dense():
        lib.ss_problem_from_dense(context.c, 3, 2, *given[:3], other)
        lib.ss_problem_destroy(other[0])
    return least(cold, dense, lambda: stickslip.solve(W, q, mu), lambda: None)

def show(heading, times, names):
    base = times[0]
    print(heading)
    for name, time_of in zip(names, times):
        print(f"  {name:48} {time_of:6.2f}" + (f"  {time_of - base:+.2f}" if time_of is not base else ""))


if __name__ == "__main__":
    show("a step of a point mass", step(), ["ss_simulation_advance by cffi", "simulation.step()", "simulation.step(), simulation.q",
                                            "an empty function"])
    show("two contacts in space", solve(), ["ss_solver_solve by cffi", "ss_problem_from_dense and _destroy by cffi",
                                            "stickslip.solve", "an empty function"])
