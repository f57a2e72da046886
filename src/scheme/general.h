/* general.h: the discretization that most schemes are made of (S5.3.1), with its choices as data.
 *
 *     M (u_E - u_B) = h_D Δt + W P
 *     q_E = q_B + F ((1 - α) u_B + α u_E) Δt                                        (S5.42)
 *     h_D = (1 - β) h_B + β (h_B* + ∂h/∂q (q_E - q_B) + ∂h/∂u (u_E - u_B))   (S5.43, S5.44)
 *
 * with B* at (q_B, u_B, t_E). Eliminating q_E - q_B gives M̂ (u_E - u_B) = ĥ Δt + W P and
 *
 *     M̂ = M - βα Δt² ∂h/∂q F - β Δt ∂h/∂u
 *     ĥ = (1 - β) h_B + β h_B* + β Δt ∂h/∂q F u_B
 *
 * (S5.47 and S5.48 print another sign and another order). With β = 0 h is taken at a place of its
 * own.
 */
#ifndef SS_SCHEME_GENERAL_H
#define SS_SCHEME_GENERAL_H

#include <stickslip/scheme.h>

/* How h is linearized when β > 0. */
typedef enum ss_linearization {
    SS_LINEAR_END,  /* as above */
    SS_LINEAR_TIME, /* at (q_B, u_B, t_B), with ∂h/∂t Δt besides (Funk, S5.3.5) */
    SS_LINEAR_GYROSCOPIC, /* terms quadratic in u as F_B ((1 - β) u_B + β u_E), 2 F = ∂/∂u (S5.79) */
    SS_LINEAR_VELOCITY, /* in u alone, at (q_B, u_B, t_B) */
} ss_linearization;

typedef struct ss_discretization {
    double mass, laws, h; /* M; W, gaps and levels; h (β = 0) at q_B + a F u_B Δt, t_B + a Δt */
    double alpha, beta;
    ss_linearization linear;
    bool implicit;     /* β = 0: h with the velocities at the end, within the solver's iteration */
    bool begin_levels; /* which laws are active is decided at q_B */
    ss_law_form form;
} ss_discretization;

/* One step on its way. */
typedef struct ss_general {
    const ss_discretization *d;
    ss_work *work;
    const ss_state *B;
    double dt, t_B;
    ss_state *E;
    ss_solve_report *report;
    ss_model_size size;
    const double *q_B, *u_B;
    double *q_E, *u_E;
    const double *u_place; /* velocities of the predictor; u_B unless changed */
    const double *given_h; /* in place of h; NULL: evaluated */
    /* scratch */
    double *q, *h, *impulse, *u_free, *v, *gap, *gap_before;
    bool *on_velocity;
    double *behind;  /* what the scheme has asked for besides */
    double kinetic;  /* J, of the free velocities, when laws are on displacement level */
    double rounding; /* of positions, as a velocity: likewise */
} ss_general;

/* Doubles of scratch memory: ss_scheme_ops.scratch. */
size_t ss_general_scratch(const void *self, const ss_model *model, const ss_model_size *size);
ss_general ss_general_open(const ss_discretization *d, ss_work *work, double *scratch,
                           const ss_state *B, double dt, ss_state *E, ss_solve_report *report);

/* Goes to q_B + a F u Δt, t_B + a Δt; factors the masses there when asked to. */
ss_status ss_general_go(ss_general *g, double a, bool mass);
/* h, M or M̂, laws and u_free. */
ss_status ss_general_evaluate(ss_general *g);
/* d/Δt of a law on displacement level; one-sided laws that are so far away that they cannot be
 * reached have a multiple of the speed that the kinetic energy allows in its place. Far laws would
 * spoil the residual of near ones. */
double ss_general_nearer(const ss_general *g, int block, double rate);
/* u_E from u_free. */
ss_status ss_general_solve(ss_general *g);
/* q_E by the position update with the velocities u at the end. */
ss_status ss_general_move(ss_general *g, const double *u, double *q_E);
/* q_E, reviews, impulses, modes and statistics of E. */
ss_status ss_general_finish(ss_general *g);
/* All of it: ss_scheme_ops.step of schemes whose options begin with an ss_discretization. */
ss_status ss_general_step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                          double dt, ss_state *E, ss_solve_report *report);

/* Laws on the mean velocity, -(γ_E + average γ_B) ∈ N(P), average > 0, with a law that takes its own
 * drift out by g/Δt: with g of the middle γ and g obey γ' = -γ - 2 (g/Δt + γ/2), g' = g + (γ + γ') Δt/2,
 * which grows by 1 + √2 in every step; with g of the beginning γ never dies out. The reason when the
 * model has such a law, else NULL. */
const char *ss_general_average_refuses(const ss_model *model);
/* Whether a law can open and close; whether an element has a matrix of restitution. */
bool ss_general_any_opens(const ss_model *model);
bool ss_general_any_matrix(const ss_model *model);
/* Whether a law that is no contact (friction, a constraint) has a restitution of its own. */
bool ss_general_any_elastic_beside(const ss_model *model);
/* Whether any restitution depends on how contacts are hit. */
bool ss_general_any_restitution_formula(const ss_model *model);

/* Adds a further solve to a report: iterations add up, the worst outcome and residual stay. A solve that the work does
 * not count itself goes into `sums`, too (NULL: it does). */
void ss_general_join_report(const ss_solve_report *further, ss_solve_report *report,
                            ss_statistics *sums);

/* -(d(q_E)) ∈ N(P) with the gap itself in place of its linearization (S5.106), by repeated solves.
 * Call in place of ss_general_solve; the laws must be on displacement level, and α > 0. */
ss_status ss_general_solve_gap(ss_general *g);

/* ---- Impacts at one instant, and steps that are cut where something happens (events.c) ---- */

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
