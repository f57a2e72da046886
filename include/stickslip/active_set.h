/* active_set.h: the laws that are active at a state, and what they leave open. */
#ifndef STICKSLIP_ACTIVE_SET_H
#define STICKSLIP_ACTIVE_SET_H

#include <stickslip/analysis.h>
#include <stickslip/simulation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything refers to the inclusion of a step from the state, with the laws in their velocity form
 * -(γ_E + ε γ_B) ∈ N(P). Rows are those of the active laws, one law after the other. */
typedef struct ss_active_set {
    double t, dt;    /* s; dt: the state's last step, 1e-4 before the first */
    int n_laws;      /* active */
    const int *laws; /* of the model */
    const ss_mode *modes;
    int n_rows;
    const double *P; /* n_rows, N s */
    ss_solve_report solve;

    /* Forces */
    bool
        examined; /* false: determinacy and rank are not known, there are too many rows for dense linear algebra */
    ss_determinacy determinacy;
    const double *null; /* nullity × n_rows by rows */
    /* No force that is bounded, or bounds another one, can vary. Else what opens or slips next depends on the choice of the
     * forces, also where the motion of this step does not. */
    bool limits_unique;
    int rank; /* of G over all rows; the γ-equations (Studer & Glocker 45, 46) exist when
                 it is n_rows: λ = G⁻¹ (γ - c) */

    /* Impact law. An impact takes at least ½ PᵀΔGP out, rows of friction included. */
    int impact_rows;
    bool
        impact_friction; /* some of them are bounded by others: the law is not monotone, whatever ΔG is */
    const char *impact_unexamined; /* why nothing is said; NULL: what follows is known */
    double
        impact_least; /* least eigenvalue of the symmetric part of ΔG, 1/kg, or, for many rows, what it is at least; NAN:
                            not examined */
    double impact_most;      /* what it is at most */
    bool impact_dissipative; /* it is not negative, but for rounding: no impact adds energy */
    bool impact_monotone;    /* the same, without friction (theorem 3) */
    double
        impact_ratio; /* ss_impact_expansion; NAN when G is singular, with friction, or more than 12 rows */

    /* Painlevé: accelerations of the contacts that stay closed, 0 <= A λ + b ⊥ λ >= 0, where a
     * friction that slides is carried by its normal force. */
    int closed;      /* one-sided laws that neither approach nor separate */
    int sliding;     /* frictions that slide in them */
    bool consistent; /* no principal minor of A is negative */
    bool regular;    /* and none is zero: then A is a P-matrix, forces and accelerations exist and
                              are unique, whatever the load. false: contacts depend on each other, or
                              there are more than 10, each looked at on its own */
    int solutions;   /* at this state: 0 is Painlevé's paradox, above 1 is undetermined; -1:
                               not counted (more than 10 contacts, a friction that sticks, or
                               singular A) */
} ss_active_set;

/* At the current state of a simulation. */
SS_API ss_status ss_simulation_analyse(ss_simulation *simulation, ss_active_set **set);
SS_API void ss_active_set_destroy(ss_active_set *set);

#ifdef __cplusplus
}
#endif
#endif
