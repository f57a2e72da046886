"""Impact laws as maps."""
import numpy as np
import pytest
import stickslip
from stickslip import impact

G = np.array([[2.0, -0.5], [-0.5, 1.0]])


def test_one_contact():
    """γ⁺ = -ε γ⁻ where bodies approach, else γ⁺ = γ⁻."""
    after, Lambda = impact.S([[0.5]], 0.3, [-2.0])
    assert after == pytest.approx([0.6]) and Lambda == pytest.approx([5.2])
    after, Lambda = impact.S([[0.5]], 0.3, [2.0])
    assert after == pytest.approx([2.0]) and Lambda == pytest.approx([0.0])


def test_complementarity():
    rng = np.random.default_rng(0)
    for _ in range(50):
        before, epsilon = rng.normal(size=2), rng.uniform(0, 1, 2)
        after, Lambda = impact.S(G, epsilon, before)
        assert np.allclose(after, before + G @ Lambda)
        xi = after + epsilon * before
        assert np.all(Lambda >= -1e-12) and np.all(xi >= -1e-12) and abs(Lambda @ xi) < 1e-12


def test_Z_is_S_in_velocities():
    """Newton's cradle of two balls: the velocities are exchanged."""
    W = np.array([[-1.0], [1.0]])
    assert impact.Z(np.eye(2), W, 1.0, [1.0, 0.0]) == pytest.approx([0.0, 1.0])
    assert impact.Z(np.eye(2), W, [0.0], [1.0, 0.0]) == pytest.approx([0.5, 0.5])


def test_H_and_Phi():
    """H at the mean of both ends is -Λ, and 2 Φ is the energy taken out."""
    before, epsilon = np.array([-1.0, -0.4]), 0.4
    after, Lambda = impact.S(G, epsilon, before)
    mean = (before + after) / 2
    assert impact.H(G, epsilon, mean) == pytest.approx(-Lambda)
    energy = lambda gamma: gamma @ np.linalg.solve(G, gamma) / 2
    assert 2 * impact.Phi(G, epsilon, mean) == pytest.approx(energy(before) - energy(after))


def test_prox_and_monotonicity():
    assert impact.prox(G, [-1.0, 2.0]) == pytest.approx([0.0, 2.5])  # x₂ minimizes with x₁ = 0: z₂ + G₂₁ z₁ / G₂₂
    assert impact.monotonicity(G, 0.5) == pytest.approx(np.linalg.eigvalsh(G / 3)[0])
    found = impact.expansion(G, [0.0, 1.0])
    norm = lambda gamma: np.sqrt(gamma @ np.linalg.solve(G, gamma))
    one, two = (impact.S(G, [0.0, 1.0], g)[0] for g in (found.gamma_1, found.gamma_2))
    assert norm(one - two) / norm(found.gamma_1 - found.gamma_2) == pytest.approx(found.ratio, rel=1e-6)
    assert (found.ratio > 1) == (impact.monotonicity(G, [0.0, 1.0]) < 0)


@pytest.mark.parametrize("call, kind, says", [
    (lambda: impact.S([[1, 2]], 0.5, [1]), stickslip.InputError, "square"),
    (lambda: impact.S(G, 0.5, [1]), stickslip.InputError, "gamma"),
    (lambda: impact.S(G, [0.5], [1, 2]), stickslip.InputError, "epsilon"),
    (lambda: impact.S(G, 1.5, [1, 2]), stickslip.InputError, "1.5"),
    (lambda: impact.S([[1, 2], [3, 4]], 0.5, [1, 2]), stickslip.InputError, "symmetric"),
    (lambda: impact.S([[1, 2], [2, 1]], 0.5, [1, 2]), stickslip.SingularError, "definite"),
    (lambda: impact.S(G, 0.5, [1, float("inf")]), stickslip.NonFiniteError, "finite"),
    (lambda: impact.Z(np.eye(2), np.eye(3), 0.5, [1, 2]), stickslip.InputError, "rows"),
    (lambda: impact.expansion(np.eye(13), 0.5), stickslip.UnsupportedError, "12"),
])
def test_refuses(call, kind, says):
    with pytest.raises(kind, match=says):
        call()
