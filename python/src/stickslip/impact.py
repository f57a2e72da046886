"""The generalized Newton impact law of frictionless contacts as maps, after Leine and Baumann.

With G = WᵀM⁻¹W regular, E = diag(ε), γ⁺ = γ⁻ + G Λ and 0 ≤ Λ ⊥ γ⁺ + E γ⁻ ≥ 0:

    S: γ⁻ → γ⁺     Z: u⁻ → u⁺     H: γ̄ = (γ⁺ + γ⁻)/2 → -Λ

G must be symmetric and positive definite, 0 ≤ ε ≤ 1, at most 64 contacts.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._core import DOUBLES, InputError, ffi, lib, shared

__all__ = ["Expansion", "H", "Phi", "S", "Z", "expansion", "monotonicity", "prox"]


def _array(name: str, given: ArrayLike, *shape: int) -> np.ndarray:
    array = np.ascontiguousarray(given, dtype=float)
    if array.shape != shape:
        raise InputError(f"{name} has the shape {array.shape}; it must be {shape}")
    return array


def _square(G: ArrayLike, name: str = "G") -> np.ndarray:
    array = np.ascontiguousarray(G, dtype=float)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(f"{name} has the shape {array.shape}; it must be square")
    return array


def _of(array: np.ndarray) -> Any:
    return ffi.from_buffer(DOUBLES, array)


def _epsilon(epsilon: ArrayLike, n: int) -> np.ndarray:
    array = np.asarray(epsilon, dtype=float)
    return _array("epsilon", np.full(n, array) if array.ndim == 0 else array, n)


def _call(function: Any, *arguments: Any) -> None:
    context = shared()
    with context.locked:
        context.check(function(context.c, *arguments))


def prox(G: ArrayLike, z: ArrayLike) -> np.ndarray:
    """The x ≥ 0 that minimizes (x - z)ᵀ G (x - z): the nearest one in the metric G (LB 36)."""
    G = _square(G)
    n = len(G)
    x = np.empty(n)
    _call(lib.ss_impact_prox, n, _of(G), _of(_array("z", z, n)), _of(x))
    return x


def S(G: ArrayLike, epsilon: ArrayLike, gamma: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """γ⁺ and Λ of an impact with γ⁻ = gamma; epsilon: of each contact, or of all (LB 26)."""
    G = _square(G)
    n = len(G)
    after, Lambda = np.empty(n), np.empty(n)
    _call(lib.ss_impact_S, n, _of(G), _of(_epsilon(epsilon, n)), _of(_array("gamma", gamma, n)), _of(after), _of(Lambda))
    return after, Lambda


def Z(Minv: ArrayLike, W: ArrayLike, epsilon: ArrayLike, u: ArrayLike) -> np.ndarray:
    """u⁺ = u⁻ + M⁻¹WΛ of an impact with u⁻ = u; Minv is n_u × n_u, W n_u × n (LB 27)."""
    Minv = _square(Minv, "Minv")
    n_u = len(Minv)
    W = np.ascontiguousarray(W, dtype=float)
    if W.ndim != 2 or len(W) != n_u:
        raise InputError(f"W has the shape {W.shape}; it must have {n_u} rows, as Minv")
    n = W.shape[1]
    after = np.empty(n_u)
    _call(lib.ss_impact_Z, n_u, _of(Minv), n, _of(W), _of(_epsilon(epsilon, n)), _of(_array("u", u, n_u)), _of(after))
    return after


def H(G: ArrayLike, epsilon: float, gamma_mean: ArrayLike) -> np.ndarray:
    """-Λ of an impact with the mean velocity γ̄ = gamma_mean, 0 ≤ ε < 1 of all contacts (LB 25)."""
    G = _square(G)
    n = len(G)
    Lambda = np.empty(n)
    _call(lib.ss_impact_H, n, _of(G), float(epsilon), _of(_array("gamma_mean", gamma_mean, n)), _of(Lambda))
    return -Lambda


def Phi(G: ArrayLike, epsilon: float, gamma_mean: ArrayLike) -> float:
    """The dissipation function in J: H = ∂Φ, and Φ is half of the energy that the impact takes out (LB 28)."""
    G = _square(G)
    value = np.empty(1)
    _call(lib.ss_impact_Phi, len(G), _of(G), float(epsilon), _of(_array("gamma_mean", gamma_mean, len(G))), _of(value))
    return float(value[0])


def monotonicity(G: ArrayLike, epsilon: ArrayLike) -> float:
    """The least eigenvalue of the symmetric part of ΔG, Δ = (1 - E)/(1 + E), in 1/kg. Not negative: the law is maximal
    monotone, so that two motions never grow apart by an impact."""
    G = _square(G)
    value = np.empty(1)
    _call(lib.ss_impact_monotonicity, len(G), _of(G), _of(_epsilon(epsilon, len(G))), _of(value))
    return float(value[0])


class Expansion(NamedTuple):
    """Two states before an impact, and how much farther apart they are after it."""

    ratio: float  #: ‖γ⁺₁ - γ⁺₂‖ / ‖γ⁻₁ - γ⁻₂‖ in the metric G⁻¹, the largest there is
    gamma_1: np.ndarray
    gamma_2: np.ndarray


def expansion(G: ArrayLike, epsilon: ArrayLike) -> Expansion:
    """The Lipschitz constant of S, with a pair that attains it; up to 12 contacts."""
    G = _square(G)
    n = len(G)
    made = ffi.new("ss_expansion *")
    _call(lib.ss_impact_expansion, n, _of(G), _of(_epsilon(epsilon, n)), made)
    return Expansion(made.ratio, np.array(list(made.gamma_1[0:n])), np.array(list(made.gamma_2[0:n])))
