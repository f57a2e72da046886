/* work.h: inside of the work: the model evaluated at a place, and the inclusion of its active
 * laws. */
#ifndef SS_ASSEMBLY_WORK_H
#define SS_ASSEMBLY_WORK_H

#include "assembly/sizes.h"
#include "base/parallel.h"
#include "model/model.h"
#include "rows/freedom.h"

#include <stickslip/scheme.h>

/* Velocities of a cluster that follow each other in u. */
typedef struct ss_piece {
    int u_offset, offset; /* of its first velocity in u, and in the cluster */
    int nu;
} ss_piece;

/* What an impulse of an element does to one piece of a cluster it acts on. */
typedef struct ss_span {
    int cluster;
    const ss_piece *piece;
    double *W, *MinvW; /* nu × rows, column by column */
    uint64_t *solved;  /* per row: the factors that M⁻¹W comes from; 0: none */
} ss_span;

/* Systems that forces couple, and their modified mass matrix (clusters.c, linearize.c). Matrices are zero farther
 * than `band` from their diagonals. */
typedef struct ss_cluster {
    int n_systems, n; /* n velocities, system behind system */
    int *systems;
    int *owner; /* n: which of them a velocity belongs to */
    int n_pieces;
    ss_piece *pieces;
    int band;
    double *KF, *D;    /* ∂h/∂q F and ∂h/∂u, n × n by rows */
    double *A;         /* I - M⁻¹ (a KF + b D), n × n by columns */
    double *factors;   /* of A: dense, or with a narrow band as LAPACK has such matrices */
    uint64_t factored; /* how often */
    bool sound;        /* A is definite, and its factors are there */
    double *check;     /* n × n */
    double *x;         /* n: scratch */
    int *pivots;
    bool modified;
} ss_cluster;

/* A connected system as an element or a force sees it. */
typedef struct ss_work_element {
    ss_at at;
    double **W;     /* per connected system: nu × rows, column by column */
    double **MinvW; /* the same */
    double *g, *zeta, *gamma_B, *gamma_E;
    double *zeta_lower; /* scratch: ζ̂ by differences of lower order */
    double *epsilon;    /* rows × rows when the element has a matrix, else NULL */
    int n_span;
    ss_span *span; /* what an impulse moves; after ss_work_lay_out_clusters */
} ss_work_element;

typedef struct ss_work_law {
    ss_level level;
    const ss_at *at;     /* of its formulas: the systems they name, and their cache */
    int block;           /* of the inclusion, -1: not active */
    bool displaced;      /* on displacement level in this step */
    double unit_load;    /* scale of its set for a unit impulse of the group that presses it */
    const double *added; /* impulse beside the set-valued one (or the impressed one); NULL: none */
    double slope;        /* ∂P/∂γ_E of that impulse, N s²/m; 0 unless it is linearized */
} ss_work_law;

/* Whether contacts of shapes are candidates, elements of their own (sources/candidates.h). */
typedef enum ss_follow {
    SS_FOLLOW_NONE, /* they are rows that are found anew wherever laws are evaluated */
    SS_FOLLOW_STEP, /* those that may close in a step are, until it ends */
    SS_FOLLOW_RUN,  /* all that there can be are, for ever */
} ss_follow;

/* The elements and laws of a step: those of the model, with the same numbers, then candidates. */
typedef struct ss_table {
    int n_elements, n_laws;
    int n_rows, n_element_rows; /* of all laws, of all elements */
    const ss_element *elements;
    const ss_law *laws;
} ss_table;

/* After a solve: may put another solution into work->P and u. */
typedef ss_status ss_work_amend_fn(void *user, ss_work *work, double *u, ss_solve_report *report);

struct ss_work {
    const ss_model *model;
    ss_table table;
    ss_arena table_arena; /* what depends on it */
    ss_solver *solver;
    ss_arena arena;

    ss_sizes sizes; /* of the scene (sizes.h) */

    int threads; /* for loops over systems and contacts; 1 unless there are many, all of them bodies */
    double t;
    double *q, *u; /* the place; u of the last evaluation */
    double *mass;  /* per system: Cholesky factor L of M, or M⁻¹ (systems with inverse_mass) */
    double *F;
    bool mass_ready;     /* constant masses have been factored */
    ss_at *systems;      /* per system */
    ss_at *forces;       /* per force */
    double *control;     /* inputs that formulas have now (ss_work_take_inputs) */
    ss_at *outputs;      /* per output; what it sees is in observed */
    ss_at *controllers;  /* per controller; the same, and its states */
    double **observed;   /* per output, then per controller: its quantities */
    double *seen_rows;   /* 2 n_rows of the model: gaps and relative velocities for them */
    double ***force_h;   /* per force: h of each connected system */
    double **force_aim;  /* per force: all of h */
    double *force_alone; /* n_u: scratch, of one force */
    double *load;        /* the part of h whose work counts as work of loads */
    ss_work_element *elements;
    ss_work_law *laws;
    double *added;           /* n_rows */
    double *restitution;     /* n_rows: ε of the last laws; where it depends, as they were hit */
    double *P;               /* n_rows: impulses of the active laws, by blocks */
    ss_mode *modes;          /* by blocks */
    bool *marginal;          /* by blocks */
    const int *before;       /* by the model's laws: modes of the step before; NULL: unknown */
    const bool *keep;        /* by laws: active whatever the gap; NULL: none */
    const bool *inelastic;   /* by laws: without restitution; NULL: none */
    bool uncorrected;        /* constraints do not correct their gaps: drift is projected out */
    double *u_scratch;       /* n_u */
    double *mass_scratch;    /* as mass, of one system */
    double *F_scratch;       /* F of one system */
    double *row_scratch;     /* 5 n_rows, or the rows of one element */
    double *q_scratch;       /* n_q */
    double *side_g, *side_d; /* n_rows: gaps and distances where the sides of laws were found */
    double *q_moved;         /* n_q */
    double *lag;             /* 3 n_rows */
    double *u_lag;           /* 2 n_u */
    ss_role *lag_roles;      /* n_laws */
    double *switches[2];     /* terms that change their signs where formulas jump, at two times */
    bool only_rules;         /* every element is a contact rule, which has no rows of its own */
    bool rows_end; /* some rows are there at times only: of contacts, or of formulas that jump */

    ss_inclusion_watch watch; /* NULL: nobody looks */
    void *watch_user;
    ss_work_amend_fn *amend; /* NULL: solutions stay as they are */
    void *amend_user;
    struct ss_work_certificate *certificate; /* NULL: steps are not certified (after/certify.h) */
    struct ss_work_contacts *
        contacts; /* NULL: no shapes can meet, or all that can are candidates (sources/contacts.h) */
    struct ss_candidates *candidates; /* NULL: contacts are not followed */

    ss_inclusion inclusion;
    ss_block *blocks;
    int n_factors; /* when all laws are active */
    ss_factor *factors;
    int *factor_start;
    int *block_law;       /* law of each block */
    int n_element_blocks; /* those of contacts come behind */

    bool clusters_ready;
    bool modified; /* some cluster has M̂ in place of M */
    int n_clusters;
    ss_cluster *clusters;
    int *cluster_of, *cluster_offset; /* per system */
    double *blocks_q, *blocks_u;      /* derivatives of one system or force */
    double **force_q, **force_u;      /* per pair of connected systems of one force */
    double *h_plus, *h_minus;         /* n_u */

    ss_form_kind form;   /* of the last laws, */
    bool levels_kept;    /* whether they took levels as they were, */
    double law_time;     /* their time, */
    double turned;       /* and the share of γ_E in their linearized forces */
    bool any_elastic;    /* some law has restitution */
    int *group;          /* n_u: which velocities impulses join (base/union_find.h) */
    double *gain, *size; /* n_u, of its group */
    ss_freedom freedom;
    bool skips_freedom; /* the caller has seen enough of it: it is not examined */
};

/* Formulas take the inputs of a state from now on (inputs.c). */
void ss_work_take_inputs(ss_work *work, const ss_state *state);
/* What a controller observes at a state, in the work until it is called again (after/observe.c). */
ss_status ss_work_observe(ss_work *work, int controller, const ss_state *state, const double **y);

ss_status ss_work_reserve_freedom(ss_work *work);
/* Whether the impulses of the last solve, with the modes just found, are not unique
 * (after/finish.c). Examined anew when a law or mode is not as in the last look. */
ss_status ss_work_examine_freedom(ss_work *work, const double *u_E, double tolerance,
                                  ss_freedom_look *look);
/* Energy that the impact laws of a step added (after/finish.c): whether there may be any; what the contact of two systems
 * adds, which are named by where their velocities begin (-1: it does not move); and the blocks, and all, to the sums. Systems
 * are joined before. */
bool ss_work_has_gains(const ss_work *work);
void ss_work_add_gain(ss_work *work, int a, int b, double gain, double size);
void ss_work_count_gain(ss_work *work, const double *u_B, const double *u_E,
                        const ss_residual *residual, ss_statistics *sums);
/* Joins the systems that the rows move together; and the group of a block, named by where the velocities of its first
 * system begin, -1: it moves nothing. */
void ss_work_join_systems(ss_work *work);
int ss_work_block_group(const ss_work *work, int block);
/* The same of one impact at an instant: Σ P γ̄ and Σ |P| |γ|. */
void ss_count_gain(double gain, double size, const ss_residual *residual, ss_statistics *sums);

/* Scales the sets of laws that a group presses (joint friction) by the work's impulses, and says how much that changes
 * impulses at most, √J (after/finish.c). */
double ss_work_apply_normal_load(ss_work *work);
/* Calls what solves the inclusion, from work->P and into it, again until the scales fit the impulses. */
typedef ss_status ss_work_solve_fn(ss_work *work, void *user, double *u, ss_solve_report *report);
ss_status ss_work_solve_loaded(ss_work *work, ss_work_solve_fn *solve, void *user, double *u,
                               ss_solve_report *report);

/* Calls fn for every system, in parallel when all are bodies, whose functions do not fail; else in their
 * order until one fails (evaluate.c). */
typedef ss_status (*ss_system_fn)(ss_work *work, int system, void *user);
ss_status ss_work_each_system(ss_work *work, ss_system_fn fn, void *user);

/* A loop over 0 … n - 1, in parts on the work's threads. */
static inline void ss_work_parallel_for(const ss_work *work, int n, ss_range_fn *fn, void *user)
{
    ss_parallel_for(work->model->context, work->threads, n, fn, user);
}

/* SS_UNSUPPORTED, naming the element, when the solver cannot treat its laws, where the work is placed; refresh: forces
 * follow the velocities within a solution (check_solver.c). */
ss_status ss_work_check_solver(ss_work *work, bool refresh);

/* ss_work_create for contacts that are followed. */
ss_status ss_work_create_following(const ss_model *model, ss_solver *solver, ss_follow follow,
                                   ss_work **work);
/* The table and all that depends on it, anew (create.c). */
ss_status ss_work_lay_out_table(ss_work *work);

/* Geometry and gaps of one element , its W and ζ (sources/elements.c). */
ss_status ss_work_element_gaps(ss_work *work, int element);
ss_status ss_work_element_directions(ss_work *work, int element);
/* Whether any of its laws is active or impressed. */
bool ss_work_element_at_work(const ss_work *work, int element);
/* impulse += W P of one law. */
void ss_work_apply_law(const ss_work *work, const ss_law *law, const double *P, double *impulse);
/* M⁻¹W of a law's rows, from its W. */
void ss_work_law_directions(ss_work *work, const ss_law *law);
/* γ = Wᵀu of one block. */
void ss_work_block_velocity(const ss_work *work, int block, const double *u, double *gamma);
/* γ = Wᵀ u + ζ for all rows of an element. */
void ss_work_element_velocity(const ss_work *work, int element, const double *u, double *gamma);

/* Puts positions and velocities of prescribed motions at time t into q and u (evaluate.c). */
ss_status ss_work_prescribe_state(ss_work *work, double t, double *q, double *u);
/* Puts the accelerations of prescribed motions at the time of the place into a, as far as their types know them. */
ss_status ss_work_prescribe_accelerations(const ss_work *work, double *a);

/* The part of γ of one row that comes from outside: ζ and the velocities u of prescribed motions. */
double ss_work_outside_velocity(const ss_work *work, int element, int row, const double *u);

/* ss_work_measure with the rows of candidates. */
ss_status ss_work_measure_all(ss_work *work, const ss_state *state, double *gap, double *gamma);

/* Gaps of all elements, and whether laws are active (sources/elements.c). */
ss_status ss_work_gaps(ss_work *work);
/* The law is one of the work's table, not of the model. */
ss_law_at ss_work_law_at(const ss_work *work, const ss_law *law, double dt, bool velocities);
/* Whether a law has restitution, by its own numbers or by its element's matrix. */
bool ss_law_is_elastic(const ss_element *element, const ss_law *law);
static inline bool ss_law_has_distance(const ss_law *law)
{
    return law->kind == SS_GEOMETRIC && (law->flags & SS_LAW_DISTANCE);
}
/* Whether a law of the table is on displacement level (step.c). */
bool ss_work_is_displaced(const ss_work *work, const ss_law_form *form, int law);
/* d of one law at the gaps just evaluated; its side is kept. */
ss_status ss_work_find_side(ss_work *work, const ss_law *law);
/* ζ̂ of all rows of an element at the velocities u. Leaves W and ζ as they are. */
ss_status ss_work_element_bias(ss_work *work, int element, const double *u, double *zeta_hat);

/* Terms of the formulas of all objects, each with a change of sign where a formula jumps or has a kink
 * (switches.c): how many there are, and their values. The work is not at its place any more. */
int ss_work_switch_count(const ss_work *work);
/* Whether formulas of an element have such terms: where its gap has a kink in time, γ jumps. */
bool ss_element_may_jump(const ss_element *element);
void ss_work_switches(ss_work *work, double t, const double *q, const double *u, double *values);
/* Sizes of the terms, from a configuration and one a part of the scene's time later; after ss_work_find_sizes. */
ss_status ss_work_switch_sizes(ss_work *work, double *sizes);
/* Whether any of n terms has another sign. */
bool ss_switches_differ(int n, const double *from, const double *to);
/* Laws whose formulas, or those of their elements, change between two times along the motion, seen from t: their relative
 * velocities may jump there, and they lose their share. The work is not at its place any more. */
ss_status ss_work_leave_out_jumps(ss_work *work, double t, double from, double to, const double *q,
                                  const double *u, ss_role *roles);

/* Row `row` of ε γ_B with the full matrix of an element; an open contact has no part in an impact. */
double ss_work_coupled_restitution(const ss_work *work, int element, int row);
/* Coefficients of a law at the velocities of its element, where they depend on anything. */
ss_status ss_work_find_restitution(ss_work *work, int law);
/* Restitution of row i of a law in this step, without its element's matrix. */
double ss_work_restitution(const ss_work *work, const ss_law *law, int i);

/* Clusters of systems (clusters.c), laid out when they are first needed. */
ss_status ss_work_lay_out_clusters(ss_work *work);
/* W and M̂⁻¹W of one law's rows in the modified clusters (linearize.c). */
void ss_work_solve_modified(ss_work *work, const ss_law *law);

/* cluster->x = M̂⁻¹ cluster->x in one modified cluster (linearize.c). */
void ss_work_solve_cluster(const ss_work *work, const ss_cluster *cluster);

/* x = M̂⁻¹ M x (linearize.c). */
void ss_work_solve_ratio(const ss_work *work, double *x);

/* Forces add to h from now on. */
void ss_work_aim_force(ss_work *work, int force, double *h);
/* Kinetic energy of one system at the velocities u (nu elements), J. */
double ss_work_kinetic(ss_work *work, int system, const double *u);
/* x = M⁻¹ x for one system; x has nu elements. */
void ss_work_solve_system(const ss_work *work, int system, double *x);
/* As ss_work_move, of one system. */
void ss_work_move_system(const ss_work *work, int system, const double *q_B, const double *u,
                         double dt, double *q_E);

#endif
