"""Sets, inclusions and solvers on arrays."""
import threading

import numpy as np
import pytest
import stickslip
from scenes import SOURCE

LINE = stickslip.Set("half_line")


# ---- Sets


@pytest.mark.parametrize("dim", [2, 3])
def test_disk(dim):
    disk = stickslip.Set("disk", dim)
    x = np.random.default_rng(1).normal(size=(5, 7, dim)) * 3
    scale = np.linspace(0, 2, 35).reshape(5, 7)
    length = np.linalg.norm(x, axis=-1)
    expected = x * np.minimum(1, scale / length)[..., None]
    assert np.allclose(disk.prox(x, scale), expected, atol=1e-15)
    assert np.allclose(disk.distance(x, scale), x - expected, atol=1e-15)
    assert np.allclose(disk.support(x, scale), scale * length)
    assert np.array_equal(disk.contains(x, scale), length <= scale)
    assert disk.contains(x, scale, tolerance=10.0).all()


def test_one_point():
    assert LINE.prox([-1.0]) == 0.0 and LINE.prox([2.0]) == 2.0
    assert LINE.support([1.0]) == np.inf and LINE.support([-1.0]) == 0.0
    assert LINE.contains([0.0]) is True and LINE.contains([-1e-3]) is False
    assert (LINE.dim, LINE.kind, LINE.name) == (1, "half_line", "half_line")


def test_options_and_product():
    ellipse = stickslip.Set("ellipse", 2, axes=[1.0, 2.0])
    assert ellipse.support([0.0, 1.0]) == pytest.approx(2.0)
    both = stickslip.Set.product([LINE, ellipse])
    assert both.dim == 3 and both.support([-1.0, 0.0, 1.0]) == pytest.approx(2.0)
    del ellipse
    assert np.allclose(both.prox([-1.0, 0.0, 5.0]), [0, 0, 2])


def test_prox_in_a_metric():
    """The nearest point of a quarter plane in a metric that is not diagonal: by trying all of them."""
    both = stickslip.Set.product([LINE, LINE])
    R, x = np.array([[2.0, 0.9], [0.9, 1.0]]), np.array([1.0, -1.0])
    try:
        y = both.prox_metric(R, x)
    except stickslip.UnsupportedError:
        y = stickslip.impact.prox(R, x)
    grid = np.linspace(0, 2, 401)
    points = np.stack(np.meshgrid(grid, grid), -1)
    distances = np.einsum("...i,ij,...j", points - x, R, points - x)
    assert np.einsum("i,ij,j", y - x, R, y - x) <= distances.min() + 1e-12 and np.all(y >= 0)


@pytest.mark.parametrize("call, says", [
    (lambda: stickslip.Set("dsik", 2), "dsik.*disk"),
    (lambda: stickslip.Set("disk", 7), "dimension"),
    (lambda: stickslip.Set("ellipse", 2, axis=[1, 2]), "axes"),
    (lambda: stickslip.Set("ellipse", 2, axes=["a", object()]), "axes"),
    (lambda: stickslip.Set("disk", 2).prox([1.0, 2.0, 3.0]), "2 dimensions"),
    (lambda: stickslip.Set("disk", 2).prox([1.0, 2.0], -1.0), "not negative"),
    (lambda: stickslip.Set("disk", 2).prox([1.0, 2.0], float("nan")), "not negative"),
])
def test_sets_refuse(call, says):
    with pytest.raises(stickslip.Error, match=says):
        call()


# ---- Problems of friction


def test_sticking_and_sliding():
    """One contact: P_N = 1; the tangential impulse holds what friction can hold."""
    for push, expected in ((0.2, -0.2), (2.0, -0.3)):
        solution = stickslip.solve(np.eye(2), [-1.0, push], [0.3])
        assert solution.converged and solution.P == pytest.approx([1.0, expected])
        assert solution.gamma == pytest.approx([0.0, push + expected])
    assert (solution.outcome, solution.report.converged) == ("converged", True)
    assert solution.residual <= 1e-10 and solution.iterations >= 1 and "converged" in repr(solution)


def problem(contacts, seed):
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(6 * contacts, 3 * contacts))
    return H.T @ H, rng.normal(size=3 * contacts) - np.tile([1.0, 0, 0], contacts), rng.uniform(0.1, 0.9, contacts)


def errors(W, q, mu, P):
    """How far P is from Coulomb's law, contact by contact, without the library."""
    u, worst = W @ P + q, 0.0
    for i, m in enumerate(mu):
        PN, PT, uN, uT = P[3 * i], P[3 * i + 1:3 * i + 3], u[3 * i], u[3 * i + 1:3 * i + 3]
        slip = np.linalg.norm(uT)
        worst = max(worst, -PN, -uN, abs(PN * uN), np.linalg.norm(PT) - m * PN, np.linalg.norm(slip * PT + m * PN * uT))
    return worst


@pytest.mark.parametrize("solver", ["auto", "sorprox"])
def test_solvers_obey_coulomb(solver):
    for seed in range(5):
        W, q, mu = problem(4, seed)
        solution = stickslip.solve(W, q, mu, solver=solver, tolerance=1e-12)
        assert solution.converged and errors(W, q, mu, solution.P) < 1e-9


def test_every_solver_or_its_reason():
    W, q, mu = problem(3, 3)
    reference = stickslip.solve(W, q, mu, tolerance=1e-12)
    found = 0
    for name in stickslip.types("solver"):
        try:
            solution = stickslip.solve(W, q, mu, solver=name)
        except stickslip.UnsupportedError as error:
            assert len(str(error)) > 20
            continue
        found += solution.converged
        assert not solution.converged or np.allclose(solution.P, reference.P, atol=1e-6)
    assert found >= 5


def test_first_guess_options_and_what_does_not_converge():
    W, q, mu = problem(6, 4)
    whole = stickslip.solve(W, q, mu, solver="sorprox", tolerance=1e-12)
    short = stickslip.solve(W, q, mu, solver="sorprox", tolerance=1e-12, max_iterations=1)
    warm = stickslip.solve(W, q, mu, solver="sorprox", P=whole.P)
    assert not short.converged and short.outcome == "iterations used up" and short.iterations == 1
    assert warm.iterations < whole.iterations
    assert whole.P is not warm.P


def test_one_coefficient_and_the_plane():
    W, q, _ = problem(2, 5)
    assert np.array_equal(stickslip.solve(W, q, 0.5).P, stickslip.solve(W, q, [0.5, 0.5]).P)
    assert stickslip.solve(np.eye(4), [-1, 1, -1, 0.1], 0.5, dimension=2).P == pytest.approx([1, -0.5, 1, -0.1])


def test_trace():
    seen = []
    W, q, mu = problem(2, 6)
    solution = stickslip.solve(W, q, mu, solver="sorprox", trace=lambda i, P: seen.append((i, P)))
    assert seen[0][0] == 0 and not seen[0][1].any()
    assert [i for i, _ in seen] == list(range(len(seen))) and np.allclose(seen[-1][1], solution.P, atol=1e-6)

    def fail(iteration, P):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        stickslip.solve(W, q, mu, solver="sorprox", trace=fail)
    assert stickslip.solve(W, q, mu, solver="sorprox").converged


@pytest.mark.parametrize("call, says", [
    (lambda: stickslip.solve(np.eye(3), [1, 2], [0.1]), "W has the shape"),
    (lambda: stickslip.solve(np.eye(4), [1, 2, 3, 4], [0.1]), "W has the shape"),
    (lambda: stickslip.solve(np.eye(3), [1, 2, 3], [-0.1]), "-0.1"),
    (lambda: stickslip.solve(np.eye(3), [1, 2, float("nan")], [0.1]), "finite|nan"),
    (lambda: stickslip.solve(np.eye(3), [1, 2, 3], [0.1], solver="sorpro"), "sorprox"),
    (lambda: stickslip.solve(np.eye(3), [1, 2, 3], [0.1], tolerence=1e-3), "tolerance"),
    (lambda: stickslip.solve(np.eye(3), [1, 2, 3], [0.1], tolerance=2.0), "tolerance"),
    (lambda: stickslip.solve(np.eye(3), [1, 2, 3], [0.1], P=[0.0]), "3 rows"),
])
def test_solve_refuses(call, says):
    with pytest.raises(stickslip.Error, match=says):
        call()


def test_threads_solve_by_themselves():
    problems = [problem(5, seed) for seed in range(4)]
    alone = [stickslip.solve(*p).P for p in problems]
    found = [None] * 4

    def work(i):
        for _ in range(200):
            found[i] = stickslip.solve(*problems[i]).P
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(alone, found))


# ---- Inclusions


def test_inclusion_of_any_sets():
    """Coulomb's law by blocks is what solve() makes of W, q and mu."""
    W, q, mu = problem(2, 7)
    disk = stickslip.Set("disk", 2)
    blocks = [LINE, stickslip.Block(disk, mu[0], scale_from=0), LINE, stickslip.Block(disk, mu[1], scale_from=2)]
    inclusion = stickslip.Inclusion(W, q, blocks)
    solution = inclusion.solve(tolerance=1e-12)
    assert np.allclose(solution.P, stickslip.solve(W, q, mu, tolerance=1e-12).P, atol=1e-9)
    assert np.allclose(solution.gamma, W @ solution.P + q) and np.array_equal(inclusion.G, W) and np.array_equal(inclusion.c, q)
    assert inclusion.residual(solution.P) <= 1e-12 < inclusion.residual(np.zeros(6))


def test_modes():
    inclusion = stickslip.Inclusion(np.eye(2), [-1.0, 1.0], [LINE, LINE])
    assert inclusion.modes(inclusion.solve().P) == ["constraint", "impressed"]


def test_inclusion_in_a_file(tmp_path):
    W, q, mu = problem(3, 8)
    disk = stickslip.Set("disk", 2)
    blocks = [b for i, m in enumerate(mu) for b in (LINE, stickslip.Block(disk, m, scale_from=2 * i))]
    written = stickslip.Inclusion(W, q, blocks)
    P = written.solve().P
    written.write(tmp_path / "a.h5", P, title="three")
    read = stickslip.Inclusion.read(tmp_path / "a.h5")
    assert np.array_equal(read.G, W) and np.array_equal(read.c, q)
    assert np.allclose(read.solve().P, P, atol=1e-8)
    with pytest.raises(stickslip.Error, match="nowhere"):
        stickslip.Inclusion.read(tmp_path / "nowhere.h5")


@pytest.mark.parametrize("call, says", [
    (lambda: stickslip.Inclusion(np.eye(2), [1, 2], [LINE]), "the blocks have 1 rows"),
    (lambda: stickslip.Inclusion([[1.0]], [1.0], [stickslip.Block(LINE, scale=-1)]), "scale|-1"),
    (lambda: stickslip.Inclusion([[1.0]], [1.0], [stickslip.Block(LINE, scale_from=5)]), "scale|5"),
    (lambda: stickslip.Inclusion([[float("nan")]], [1.0], [LINE]), "finite|nan"),
])
def test_inclusion_refuses(call, says):
    with pytest.raises(stickslip.Error, match=says):
        call()


def test_empty_problem():
    assert stickslip.solve(np.zeros((0, 0)), [], []).P.shape == (0,)


def test_problem_of_the_manual():
    files = sorted((SOURCE / "tests" / "solver" / "problems").glob("*"))
    readable = 0
    for path in files[:8]:
        try:
            inclusion = stickslip.Inclusion.read(path)
        except stickslip.Error:
            continue
        readable += 1
        assert inclusion.G.shape == (inclusion.rows, inclusion.rows)
    assert readable
