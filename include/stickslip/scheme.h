/* scheme.h: one-step schemes, and the work they do it with.
 *
 * A scheme evaluates the model where it wants to (ss_work_place, ss_work_forces, ss_work_laws), solves the
 * inclusion (ss_work_solve) and fills the state at the end of the step (ss_work_finish).
 */
#ifndef STICKSLIP_SCHEME_H
#define STICKSLIP_SCHEME_H

#include <stickslip/model.h>
#include <stickslip/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything a step needs, allocated once. After the first step nothing is allocated. */
typedef struct ss_work ss_work;

/* Borrows the model and the solver. */
SS_API ss_status ss_work_create(const ss_model *model, ss_solver *solver, ss_work **work);
SS_API void ss_work_destroy(ss_work *work);
SS_API const ss_model *ss_work_model(const ss_work *work);

/* Geometry, M (factored) and F at (q, t). Everything below refers to this place. */
SS_API ss_status ss_work_place(ss_work *work, double t, const double *q);
/* h(q, u, t) of systems and forces together; n_u elements. */
SS_API ss_status ss_work_forces(ss_work *work, const double *u, double *h);
/* Gaps, levels, W, M⁻¹W, ζ, sets and restitution for a step dt that begins with u_B; the impulses of impressed and
 * added percussions (n_u, N s) are added to `impulse`. Call after ss_work_place. */
SS_API ss_status ss_work_laws(ss_work *work, double dt, const double *u_B, double *impulse);
/* x = M⁻¹ x; n_u elements. */
SS_API void ss_work_solve_mass(const ss_work *work, double *x);
/* q = q_B + F(q_B) u dt: where the systems would be without further forces. Changes the place. */
SS_API ss_status ss_work_predict(ss_work *work, double t, const double *q_B, const double *u, double dt,
                                 double *q);
/* q_E = q_B + F u dt, with F of the place. */
SS_API void ss_work_move(const ss_work *work, const double *q_B, const double *u, double dt, double *q_E);
/* Lets systems review positions, then velocities, at time t. */
SS_API ss_status ss_work_review(ss_work *work, double t, double *q, double *u);

/* The inclusion of the active laws as ss_work_laws left it; u_free and b may be changed before solving. */
SS_API ss_inclusion *ss_work_inclusion(ss_work *work);
/* The law of a block of that inclusion, -1 when there is no such block. */
SS_API int ss_work_block_law(const ss_work *work, int block);
/* Solves with `u_free` as velocities without percussions; warm-starts from P of state B; u_E receives the
 * velocities. */
SS_API ss_status ss_work_solve(ss_work *work, const ss_state *B, const double *u_free, double *u_E,
                               ss_solve_report *report);
/* Fills t, dt, P, modes and statistics of E from the last solve. E's q and u must be set. The statistics of
 * E become those of B plus this step's. */
SS_API ss_status ss_work_finish(ss_work *work, const ss_state *B, double dt,
                                const ss_solve_report *report, ss_state *E);

/* Whether the mode that a law had in the last step may as well be the other one: its percussion lies at the boundary of
 * its set, but what presses it there is rounding. */
SS_API bool ss_work_marginal(const ss_work *work, int law);
/* Takes the drift out of laws that hold (n_laws elements): moves q along M⁻¹W until their gaps are `gap` (n_rows
 * elements, geometric rows only; NULL: positions stay), then u until their relative velocities are zero, both by the
 * least kinetic norm. Changes the place. */
SS_API ss_status ss_work_project(ss_work *work, double t, const bool *hold, const double *gap, double *q,
                                 double *u);

/* Gaps (zero for kinematic rows) and relative velocities at a state, by rows of all laws. */
SS_API ss_status ss_work_measure(ss_work *work, const ss_state *state, double *gap, double *gamma);

/* Energies at a state, J. */
typedef struct ss_energy {
    double kinetic, potential;
    double dissipated, load_work; /* since t = 0 */
} ss_energy;
SS_API ss_status ss_work_energy(ss_work *work, const ss_state *state, ss_energy *energy);

/* One step from B to E. */
typedef struct ss_scheme_ops {
    ss_type type; /* type.size = sizeof(ss_scheme_ops) */
    ss_status (*init)(void *self, ss_context *context); /* optional */
    void (*destroy)(void *self, ss_context *context);   /* optional */
    /* NULL when the scheme can treat the model, else the reason. Optional. */
    const char *(*refuses)(const void *self, const ss_model *model);
    /* Scratch memory of the scheme, in doubles. Optional: 0. */
    size_t (*scratch)(const void *self, const ss_model *model);
    /* Steps from B to E. A solve that did not converge is reported in `report`; the status is for faults.
     * Required. */
    ss_status (*step)(const void *self, ss_work *work, double *scratch, const ss_state *B, double dt,
                      ss_state *E, ss_solve_report *report);
} ss_scheme_ops;

SS_API ss_status ss_register_scheme(ss_context *context, const ss_scheme_ops *ops);

typedef struct ss_scheme ss_scheme;
/* args and scope may be NULL. */
SS_API ss_status ss_scheme_create(ss_context *context, const char *name, const ss_args *args,
                                  const ss_scope *scope, ss_scheme **scheme);
SS_API void ss_scheme_destroy(ss_scheme *scheme);
SS_API const char *ss_scheme_name(const ss_scheme *scheme);
/* Checks that the scheme can treat the model and reserves its scratch memory. */
SS_API ss_status ss_scheme_prepare(ss_scheme *scheme, const ss_model *model);
SS_API ss_status ss_scheme_step(ss_scheme *scheme, ss_work *work, const ss_state *B, double dt,
                                ss_state *E, ss_solve_report *report);

#ifdef __cplusplus
}
#endif
#endif
