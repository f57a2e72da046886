/* splitting.h: methods that take turns between G and the sets: projected gradients and ADMM.
 * They work in the scaled units of scaled.h and treat all sets. */
#ifndef SS_SOLVER_SPLITTING_H
#define SS_SOLVER_SPLITTING_H

#include "solver/scaled.h"

/* The self of each. */
typedef struct ss_splitting {
    ss_run_options options;
    ss_method_fn iterate;
    ss_run_memory memory;
    ss_scaled scaled;
    ss_arena arena; /* everything below, n_rows each */
    bool has_arena;
    double *x, *v, *z, *w, *last;
} ss_splitting;

/* Memory and matrix; x from run->P. */
ss_status ss_splitting_prepare(ss_splitting *s, ss_run *run);
/* `solve`, `destroy` and `refuses` of each. */
ss_status ss_splitting_solve(void *self, ss_context *context, const ss_inclusion *inclusion,
                             ss_trace_fn trace, void *trace_user, double *P, double *u,
                             ss_solve_report *report);
void ss_splitting_destroy(void *self, ss_context *context);
const char *ss_splitting_refuses(const void *self, const ss_inclusion *inclusion);

/* z = projection of y: contacts onto Coulomb's cone, other blocks onto their sets, scaled as
 * `at` tells. */
void ss_splitting_project(const ss_splitting *s, const ss_run *run, const double *at, double *y);
/* v_N += μ ‖v_T‖ (De Saxcé) */
void ss_splitting_shift(const ss_run *run, double *v);
/* Judges x, whose velocities v = A x + b are not shifted. */
void ss_splitting_judge(const ss_splitting *s, ss_run *run, const double *x, const double *v);
/* An estimate from above of the largest eigenvalue of A. */
double ss_splitting_largest(ss_splitting *s);

/* The type of a solver whose method is a static function `iterate`. */
#define SS_SPLITTING_TYPE(name_, doc_, most)                          \
    static ss_status init(void *self, ss_context *context)            \
    {                                                                 \
        (void)context;                                                \
        ((ss_splitting *)self)->iterate = iterate;                    \
        return SS_OK;                                                 \
    }                                                                 \
    static const ss_key keys[] = {SS_RUN_KEYS(most), {.name = NULL}}; \
    const ss_solver_ops ss_solver_type_##name_ = {                    \
        .type = {.abi = SS_ABI,                                       \
                 .size = sizeof(ss_solver_ops),                       \
                 .name = #name_,                                      \
                 .doc = doc_,                                         \
                 .self_size = sizeof(ss_splitting),                   \
                 .keys = keys},                                       \
        .init = init,                                                 \
        .destroy = ss_splitting_destroy,                              \
        .refuses = ss_splitting_refuses,                              \
        .solve = ss_splitting_solve,                                  \
    }

extern const ss_solver_ops ss_solver_type_admm, ss_solver_type_nesterov, ss_solver_type_uzawa;

#endif
