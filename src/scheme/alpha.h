/* alpha.h: inside of the generalized-α scheme: one step on its way.
 *
 * Unknown are a_E of the smooth motion with the multipliers λ of constraints that never open, the
 * velocity jump J with the impulses P, and the correction U of positions with the multipliers ν:
 *
 *     M v'_E = h(q_E, u_E, t_E) + W_b λ,         W_bᵀ ṽ + ζ = 0
 *     M J = W P,                                 u_E = ṽ + J
 *     M U = W ν + (kinematic laws) W P Δt/2,     q_E = q̃ + F U
 *
 * Newton's method moves them by z = κ δa, δU and δJ; b = βΔt²/κ and c = γΔt/κ with
 * κ = (1 - α_m)/(1 - α_f), so that δq̃ = b z, δṽ = c z and
 *
 *     M̂ z = h + W_b λ - M v'_E + K δU + D δJ,   M̂ = M - b K - c D,   K = ∂h/∂q F,  D = ∂h/∂u.
 */
#ifndef SS_SCHEME_ALPHA_H
#define SS_SCHEME_ALPHA_H

#include "assembly/work.h"

/* Constraints that never open, taken out of a motion by linear algebra: y becomes y - M⁻¹W λ with Wᵀy = target. W may have
 * dependent columns: λ is the shortest then. */
typedef struct ss_constrained {
    int n, rows;        /* velocities, constraints */
    const double *W;    /* n × rows, by columns */
    double *MinvW;      /* the same size */
    double *s, *U, *Vt; /* Wᵀ M⁻¹W = U diag(s) Vᵀ, one behind the other */
    int rank;
    double *x, *y; /* rows: scratch */
    double *work;
} ss_constrained;

typedef struct ss_alpha_constants {
    double alpha_m, alpha_f, gamma, beta;
} ss_alpha_constants;

/* The rows of one inclusion, each with all that its multiplier moves. */
typedef struct ss_alpha_rows {
    ss_inclusion inclusion;
    ss_block *blocks;
    ss_factor *factors;
    int *factor_start;
    int *law;      /* by blocks */
    double *W, *R; /* n × rows, by columns: directions, and responses */
    double *P, *y; /* multipliers; n: the motion that the solver returns */
} ss_alpha_rows;

typedef struct ss_alpha {
    ss_alpha_constants o;
    ss_work *work;
    const ss_state *B;
    ss_state *E;
    ss_model_size size;
    int n, n_closed; /* velocities; rows of constraints that never open */
    double dt, t_E, kappa, b, c;
    const double *a_B, *v_B;   /* a and v' where the step begins */
    double *a, *U, *J, *v;     /* a_E, U, J, ṽ */
    double *dq, *du;           /* F⁻¹ δq and δu of an iteration */
    double *h, *x, *z, *move;  /* n: scratch */
    double *q_mid;             /* n_q */
    double *impulse;           /* known impulses */
    double *W_closed, *target; /* of the constraints that never open */
    double *gap_held, *zeta_closed, *lambda, *nu_closed, *P_closed;
    ss_constrained plain, modified; /* with M, with M̂ */
    double *distance;               /* by rows of all laws */
    double *nu, *P;                 /* multipliers of the other laws, by rows of all laws */
    bool *candidate;                /* by laws: its position has a say in this step */
    bool *keep;                     /* by laws: ν is not zero */
    int *level;                     /* by laws: of the iteration before */
    bool levels_changed;
    ss_alpha_rows position, velocity;
    ss_solve_report *report;
} ss_alpha;

/* A constraint that never opens and has a position. */
bool ss_alpha_is_closed(const ss_law *law);

/* Lays a step out in memory and returns how many doubles that takes. scratch NULL: only counts. */
size_t ss_alpha_lay_out(ss_alpha *s, const ss_model *model, const ss_model_size *size,
                        double *scratch);
/* y and the multipliers as above; target NULL: 0. The multipliers λ are taken off `multipliers` (NULL: not wanted). */
void ss_constrained_apply(const ss_constrained *held, const double *target, double *y,
                          double *multipliers);

/* M, W, h, K, D and all laws at the end as far as it is known; frozen: laws stay active or not. */
ss_status ss_alpha_evaluate(ss_alpha *s, bool frozen);
/* One move of Newton's method there: dq and du say what it does to q_E and u_E. */
ss_status ss_alpha_move(ss_alpha *s);

#endif
