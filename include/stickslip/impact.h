/* impact.h: the generalized Newton impact law of frictionless contacts as maps, after Leine &
 * Baumann: with G = WᵀM⁻¹W regular, E = diag(ε), γ⁺ = γ⁻ + G Λ and 0 <= Λ ⊥ γ⁺ + E γ⁻ >= 0,
 *
 *     S: γ⁻ → γ⁺     Z: u⁻ → u⁺     H: γ̄ = (γ⁺ + γ⁻)/2 → -Λ
 *
 * H is maximal monotone exactly when S is non-expansive in the metric G⁻¹, and Z in the metric M:
 * two motions never grow apart by an impact. A law that is so never adds energy.
 *
 * All matrices are n × n by rows. G must be symmetric (SS_INPUT) and positive definite (SS_SINGULAR), all numbers finite
 * (SS_NON_FINITE), and 0 <= ε <= 1 (SS_INPUT). */
#ifndef STICKSLIP_IMPACT_H
#define STICKSLIP_IMPACT_H

#include <stickslip/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most contacts that these functions take. */
#define SS_IMPACT_MOST 64

/* x = prox of z to the nonnegative orthant in the metric G: the x >= 0 that minimizes
 * (x - z)ᵀ G (x - z) (LB 36). x and z may not be the same array. */
SS_API ss_status ss_impact_prox(ss_context *context, int n, const double *G, const double *z,
                                double *x);
/* S for coefficients of each contact, (26) for equal ones; Lambda may be NULL. */
SS_API ss_status ss_impact_S(ss_context *context, int n, const double *G, const double *epsilon,
                             const double *gamma_before, double *gamma_after, double *Lambda);
/* Z (27), any coefficients: u⁺ = u⁻ + M⁻¹ W Λ. Minv is n_u × n_u, W n_u × n by rows. */
SS_API ss_status ss_impact_Z(ss_context *context, int n_u, const double *Minv, int n,
                             const double *W, const double *epsilon, const double *u_before,
                             double *u_after);
/* H of one coefficient 0 <= ε < 1 (25): Lambda = -H(γ̄). For ε = 1 it is set-valued. */
SS_API ss_status ss_impact_H(ss_context *context, int n, const double *G, double epsilon,
                             const double *gamma_mean, double *Lambda);
/* The dissipation function Φ of one coefficient 0 <= ε < 1 (28): H = ∂Φ, and Φ is half of the
 * energy that the impact takes out. J. */
SS_API ss_status ss_impact_Phi(ss_context *context, int n, const double *G, double epsilon,
                               const double *gamma_mean, double *Phi);

/* Least eigenvalue of the symmetric part of ΔG, Δ = (1 - E)/(1 + E), 1/kg. Not negative: the law
 * is maximal monotone (theorem 3); for a regular G that is also necessary, since with all contacts
 * active γ⁺ = -E γ⁻, whose expansion is exactly that of ΔG. */
SS_API ss_status ss_impact_monotonicity(ss_context *context, int n, const double *G,
                                        const double *epsilon, double *least);

/* Two states before an impact, and how much farther apart they are after it. */
typedef struct ss_expansion {
    double ratio; /* ‖γ⁺_1 - γ⁺_2‖ / ‖γ⁻_1 - γ⁻_2‖ in the metric G⁻¹, the largest there is */
    double gamma_1[SS_IMPACT_MOST], gamma_2[SS_IMPACT_MOST]; /* γ⁻ of a pair that attains it */
} ss_expansion;

/* The Lipschitz constant of S. S is linear where the same contacts take part, so it is the largest
 * of 2ⁿ norms; a pair that attains it is found inside that region. n <= 12, else SS_UNSUPPORTED. */
SS_API ss_status ss_impact_expansion(ss_context *context, int n, const double *G,
                                     const double *epsilon, ss_expansion *expansion);

#ifdef __cplusplus
}
#endif
#endif
