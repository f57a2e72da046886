/* run.h: one solve of a gathered inclusion by a method: options, memory, residual, the best
 * iterate; and the inclusion in scaled units, for methods that want them. */
#ifndef SS_SOLVER_RUN_H
#define SS_SOLVER_RUN_H

#include "la/lu.h"
#include "rows/gather.h"
#include "solver/keys.h"

#include <stickslip/solver.h>

#include <float.h>

/* What `tolerance` bounds. */
typedef enum ss_measure {
    SS_MEASURE_INCLUSION, /* ss_inclusion_residual */
    SS_MEASURE_CONE,      /* ss_inclusion_cone_residual, relative: Coulomb contacts only */
    SS_MEASURE_BOTH,      /* the larger of the first and of the second's absolute value / ‖q‖ */
} ss_measure;

/* A gathered inclusion of Coulomb contacts, half lines and free rows in the scaling in which
 * Coulomb's cone is the second-order cone and every group has about the size one:
 *
 *     v = A x + b,   P = Q s D⁻¹ x,   u = Q s⁻¹ D v,   D = diag(μ, 1, 1), s² = 1 / (size of G_gg)
 *
 * A is stored by rows, with a pattern that a factorization can use again and again. */
typedef struct ss_scaled {
    int n_rows, n_cones;
    int *cone;           /* n_groups: rows that are in the cone; 0: free; 1 when μ = 0 */
    int *start, *column; /* A by rows, columns ascending */
    int *diagonal;       /* n_rows: where the diagonal block of its group begins in this row */
    double *A;           /* rows that belong to no cone (friction with μ = 0) are unit rows */
    double *b;
    double *to_P, *to_u; /* n_rows */
    double *K;           /* A plus a block diagonal */
    ss_lu *lu;           /* owned, or NULL */
} ss_scaled;

/* First member of the self of every solver that is a method. */
typedef struct ss_run_solver {
    const struct ss_method *method; /* the user pointer of the type */
    double tolerance;
    int max_iterations;
    int measure; /* ss_measure */
    bool warm_start;

    ss_gathered g;
    ss_arena arena;             /* the next three */
    int capacity;               /* rows */
    double *P, *gamma, *best_P; /* n_rows each */
    ss_arena scratch;           /* of the method at work; `scaled`, too */
    ss_scaled scaled;
} ss_run_solver;

typedef struct ss_run {
    ss_context *context;
    const ss_inclusion *inclusion;
    const ss_gathered *g;
    ss_run_solver *solver;
    ss_scaled *scaled; /* of the solver */
    double tolerance;
    double *P;     /* gathered; the iterate */
    double *gamma; /* scratch: G P + c */
    double *best_P;
    double best;       /* residual of best_P; INFINITY at first */
    ss_residual found; /* the same with its parts */
    bool solved;       /* best <= tolerance */
    bool diverged;
    bool settled;    /* the method came to its own end, whatever the residual */
    int iterations;  /* of all methods together */
    char method[80]; /* for the report */
    ss_trace_fn trace;
    void *trace_user;
} ss_run;

/* A solver that is one method, or several one after the other. */
typedef struct ss_method {
    /* As any solver's. Of the type: name, doc, self_size and keys alone. What is NULL of the
     * functions is that of ss_method_register. */
    ss_solver_ops ops;
    /* NULL when it can treat an inclusion that ss_run_refuses does not refuse, else the reason.
     * NULL: treats all. */
    const char *(*refuses)(const ss_inclusion *inclusion);
    bool cold; /* begins where it begins, whatever the first guess; its keys are SS_RUN_COLD_KEYS */
    /* Iterates on run->P until run->solved, its own end, or max_iterations. It judges iterates by
     * ss_run_judge. */
    ss_status (*iterate)(void *self, ss_run *run);
} ss_method;

/* Keys of every method. */
#define SS_RUN_COLD_KEYS(most)                                                                \
    SS_OPTION_REAL(ss_run_solver, tolerance, "1e-10", DBL_MIN, 1, "",                         \
                   "Relative residual of a converged solve."),                                \
        SS_OPTION_INT(ss_run_solver, max_iterations, most, 1, 1e9,                            \
                      "Iterations after which a solve is given up."),                         \
        SS_OPTION_CHOICE(                                                                     \
            ss_run_solver, measure, "inclusion", "inclusion|cone|both",                       \
            "Residual that the tolerance bounds: that of the inclusion, or the natural map "  \
            "of De Saxce's form relative to max(|q|, |P|, |u|), for Coulomb contacts; both: " \
            "the first, and the second even relative to |q|.")
/* And of those that begin with the first guess. */
#define SS_RUN_KEYS(most)                                                     \
    SS_RUN_COLD_KEYS(most), SS_OPTION_BOOL(ss_run_solver, warm_start, "true", \
                                           "Begin with the last impulses, else with zero.")

/* Registers a method as a solver, with these functions where it has none of its own. */
ss_status ss_method_register(ss_context *context, const ss_method *method);
const char *ss_run_refuses(const void *self, const ss_inclusion *inclusion);
void ss_run_destroy(void *self, ss_context *context);
ss_status ss_run_solve(void *self, ss_context *context, const ss_solve_call *call);

/* The residual of P (gathered), whose velocities are gamma; keeps P when it is the best so far,
 * and sets `solved`. */
double ss_run_judge(ss_run *run, const double *P, const double *gamma);
/* The same of run->P, after its velocities have been computed. */
void ss_run_judge_P(ss_run *run);
/* Counts an iteration and shows it to the trace. False when it was the last allowed. */
bool ss_run_count(ss_run *run, const double *P);
/* Solved, or no iterations are left. */
bool ss_run_is_over(const ss_run *run);
/* run->P becomes the best so far, if there is one. */
void ss_run_from_best(ss_run *run);

/* Takes back all scratch memory, that of `scaled`, too: another method begins. */
ss_arena *ss_run_scratch(ss_run *run);
/* Scratch vectors of n_rows zeros each; the list ends with NULL. */
ss_status ss_run_vectors(ss_run *run, double **const vectors[]);

/* Fills run->scaled, in new scratch memory. cones = false: D = 1, so that other sets may stand
 * beside the contacts; `cone` then counts friction rows, too, and is 0 for what is neither a contact
 * nor a half line. */
ss_status ss_scaled_create(ss_run *run, bool cones);
/* Prepares factorizations: scaled->lu. */
ss_status ss_scaled_order(ss_run *run);
/* v = A x + b */
void ss_scaled_apply(const ss_scaled *s, const double *x, double *v);
/* K = A */
void ss_scaled_copy_A(ss_scaled *s);
/* Adds to the diagonal of K. */
void ss_scaled_add_diagonal(ss_run *run, double compliance);
/* x of run->P, and back: judges x with its v. */
void ss_scaled_take(const ss_run *run, double *x);
void ss_scaled_judge(ss_run *run, const double *x, const double *v);

/* ---- The methods, and what they lend each other ---- */

extern const ss_method ss_method_auto, ss_method_exact, ss_method_interior, ss_method_alart_curnier,
    ss_method_fischer_burmeister, ss_method_proximal, ss_method_woesle_pfeiffer, ss_method_admm,
    ss_method_nesterov, ss_method_uzawa, ss_method_lemke, ss_method_funk, ss_method_enumeration,
    ss_method_gamma;

/* At most `most` iterations of the interior point method, from the middle of the cones. The
 * inclusion has Coulomb contacts and free blocks only. */
ss_status ss_interior_iterate(ss_run *run, int most);

/* NULL when Alart and Curnier's equations know the sets of the inclusion, else the reason. */
const char *ss_newton_refuses(const ss_inclusion *inclusion);
/* Alart and Curnier's equations from the best P that another method has found: Newton's steps, then
 * about `most` in proximal ones. */
ss_status ss_newton_cross_over(ss_run *run, int most);

/* NULL when all laws have states as Funk's path knows them, else the reason. */
const char *ss_states_refuse(const ss_inclusion *inclusion);
/* Funk's path with at most so many changes of state. */
ss_status ss_funk_iterate(ss_run *run, int most);

#endif
