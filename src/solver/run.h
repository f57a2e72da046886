/* run.h: one solve of a gathered inclusion: the options that its solvers share, what is
 * measured, the best iterate. */
#ifndef SS_SOLVER_RUN_H
#define SS_SOLVER_RUN_H

#include "rows/gather.h"

#include <stickslip/solver.h>

#include <float.h>
#include <stddef.h>

/* What `tolerance` bounds. */
typedef enum ss_measure {
    SS_MEASURE_INCLUSION, /* ss_inclusion_residual */
    SS_MEASURE_CONE,      /* ss_inclusion_cone_residual, relative: Coulomb contacts only */
    SS_MEASURE_BOTH,      /* the larger of the first and of the second's absolute value / ‖q‖ */
} ss_measure;

/* First member of the self of every solver that runs on a gathered inclusion. */
typedef struct ss_run_options {
    double tolerance;
    int max_iterations;
    int measure; /* ss_measure */
    bool warm_start;
} ss_run_options;

/* Keys of the above for a self whose first member is ss_run_options. */
#define SS_RUN_KEYS(most)                                                                          \
    {.name = "tolerance",                                                                          \
     .kind = SS_KEY_REAL,                                                                          \
     .offset = offsetof(ss_run_options, tolerance),                                                \
     .default_value = "1e-10",                                                                     \
     .min = DBL_MIN,                                                                               \
     .max = 1,                                                                                     \
     .doc = "Relative residual of a converged solve."},                                            \
        {.name = "max_iterations",                                                                 \
         .kind = SS_KEY_INT,                                                                       \
         .offset = offsetof(ss_run_options, max_iterations),                                       \
         .default_value = most,                                                                    \
         .min = 1,                                                                                 \
         .max = 1e9,                                                                               \
         .doc = "Iterations after which a solve is given up."},                                    \
        {.name = "measure",                                                                        \
         .kind = SS_KEY_CHOICE,                                                                    \
         .offset = offsetof(ss_run_options, measure),                                              \
         .default_value = "inclusion",                                                             \
         .choices = "inclusion|cone|both",                                                         \
         .doc = "Residual that the tolerance bounds: that of the inclusion, or the natural map "   \
                "of De Saxce's form relative to max(|q|, |P|, |u|), for Coulomb contacts; both: "  \
                "the first, and the second even relative to |q|."},                                \
    {                                                                                              \
        .name = "warm_start", .kind = SS_KEY_BOOL, .offset = offsetof(ss_run_options, warm_start), \
        .default_value = "true", .doc = "Begin with the last impulses, else with zero."            \
    }

/* Memory of a run, kept by the solver. */
typedef struct ss_run_memory {
    ss_gathered g;
    ss_arena arena;
    bool has_arena;
    int capacity;               /* rows */
    double *P, *gamma, *best_P; /* n_rows each */
} ss_run_memory;

typedef struct ss_run {
    ss_context *context;
    const ss_inclusion *inclusion;
    const ss_gathered *g;
    const ss_run_options *options;
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

/* A method: iterates on run->P until run->solved, its own end, or max_iterations. It judges
 * iterates by ss_run_judge. */
typedef ss_status (*ss_method_fn)(void *self, ss_run *run);

/* `refuses`, `destroy` and `solve` of solvers that are one method. */
const char *ss_run_refuses(const ss_run_options *options, const ss_inclusion *inclusion);
void ss_run_release(ss_run_memory *memory);
ss_status ss_run_solve(ss_run_memory *memory, ss_context *context, const ss_inclusion *inclusion,
                       const ss_run_options *options, ss_method_fn method, void *self,
                       ss_trace_fn trace, void *trace_user, double *P, double *u,
                       ss_solve_report *report);

/* The residual of P (gathered), whose velocities are gamma; keeps P when it is the best so far,
 * and sets `solved`. */
double ss_run_judge(ss_run *run, const double *P, const double *gamma);
/* Counts an iteration and shows it to the trace. False when it was the last allowed. */
bool ss_run_count(ss_run *run, const double *P);

/* The residual alone, but that it does not forgive rounding. */
ss_residual ss_run_residual(const ss_run *run, const double *P, const double *gamma);

#endif
