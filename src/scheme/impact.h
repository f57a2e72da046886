/* impact.h: impacts at one instant, and steps that are cut at the instants where something
 * happens. */
#ifndef SS_SCHEME_IMPACT_H
#define SS_SCHEME_IMPACT_H

#include "scheme/general.h"

/* Poisson's impact law of the closed laws at (q, t): a phase of compression, -γ_C ∈ N(P_C), then
 * one of expansion in which a one-sided law gives back at least ε P_C (S3.3, S5.3.6.3). u becomes
 * the velocity after it. Impulses become P of `state`, dissipation to its sums, and the laws
 * that took part are marked as closed there. `elastic` false: ε = 0. *hit: whether any law
 * approached. */
typedef struct ss_impact {
    double t;
    const double *q;
    bool elastic;
    double rest_speed; /* laws that approach more slowly have ε = 0, m/s */
    double near;       /* laws nearer than this are closed, m; 0: by their own tolerance */
    double *u;         /* in and out */
    double *scratch;   /* 2 n_u + 2 n_rows */
    ss_state *state;
    ss_solve_report *report; /* joined */
    bool hit;
} ss_impact;

ss_status ss_impact_solve(ss_work *work, ss_impact *impact);
/* After a phase of compression from u_before, solved without restitution: the sets of one-sided
 * laws become { P >= ε P_C }, but for those that approach more slowly than rest_speed or that are
 * inelastic (by laws; NULL: none). False when nothing is given back. */
bool ss_impact_begin_expansion(ss_work *work, const double *u_before, double rest_speed,
                               const bool *inelastic);

/* How steps are cut: the options of such schemes. */
typedef struct ss_event_rules {
    ss_discretization d; /* of the parts */
    bool cubic;          /* interpolation of the step (S5.74), else linear */
    bool transitions;    /* steps also end where a law changes its mode (S5.75) */
    int impacts;         /* after so many impacts in a step ε = 0 until its end */
    double rest_speed;   /* laws that approach more slowly have ε = 0, m/s */
    double near,
        near_cubed; /* laws nearer than near or near_cubed Δt³ are closed, m; 0: by their own tolerance */
} ss_event_rules;

/* Poisson's law has one coefficient for each law: ss_scheme_ops.refuses. */
const char *ss_events_refuses(const void *self, const ss_model *model);
/* Doubles of scratch memory: ss_scheme_ops.scratch. */
size_t ss_events_scratch(const void *self, const ss_model *model, const ss_model_size *size);
/* A step that is cut at impacts: ss_scheme_ops.step of schemes whose options are ss_event_rules. */
ss_status ss_events_step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                         double dt, ss_state *E, ss_solve_report *report);

#endif
