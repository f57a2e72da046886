/* certify.h: whether impulses and velocities obey a law, by the law's own words.
 *
 * An inclusion -γ ∈ N_C(P) says: P is in C, and no other force of C takes more energy out. A certificate looks at that with the
 * support function of C, never with the proximal point that solvers iterate with; of solvers, kernels and rows it knows
 * nothing. What counts as zero is said by who asks.
 */
#ifndef SS_CERTIFY_CERTIFY_H
#define SS_CERTIFY_CERTIFY_H

#include <stickslip/model.h>
#include <stickslip/set.h>

/* One law at a solution. */
typedef struct ss_certified_law {
    const ss_set *set;
    double scale; /* of the set */
    const double *P,
        *gamma; /* its impulse, and what the law relates to it: γ_E + ε γ_B and corrections */
    double P_error, gamma_error; /* what counts as zero, > 0 */
} ss_certified_law;

/* The breach, and by how much, in its unit (ss_breach_unit). */
ss_breach ss_certify_law(const ss_certified_law *law, double *size);

/* Newton's law of one row: where there is an impulse, γ⁺ = -ε γ⁻. */
typedef struct ss_certified_impact {
    double P, before, after, epsilon;
    double P_error, gamma_error;
} ss_certified_impact;

ss_breach ss_certify_impact(const ss_certified_impact *impact, double *size);

/* The energy ½ Δuᵀ M Δu of what is missing between the change of velocities and that by impulses, beside the energy of
 * both, 1: not more than the part `tolerance`² of it. */
ss_breach ss_certify_momentum(double missing, double energy, double tolerance, double *size);

/* A one-sided contact: an impulse only at a gap of zero, within `error`, and no gap below -error. */
ss_breach ss_certify_gap(double gap, bool acts, double error, double *size);

/* Takes note of a breach: the first one is kept. `law` is its name. */
void ss_certificate_note(ss_statistics *sums, double t, ss_breach breach, double size,
                         const char *law);

#endif
