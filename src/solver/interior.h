/* interior.h: the interior point method, alone and as a part of `auto`. */
#ifndef SS_SOLVER_INTERIOR_H
#define SS_SOLVER_INTERIOR_H

#include "solver/cone.h"
#include "solver/scaled.h"

typedef struct ss_interior {
    ss_run_options options;
    ss_scaled scaled;
    ss_arena arena; /* everything below */
    bool has_arena;
    ss_cone_scaling *scaling; /* n_groups */
    double *x, *y;            /* P and u in their cones */
    double *dx, *dy, *r, *v;  /* n_rows each, as below */
    double *lambda, *target, *affine, *rhs;
    double *best_dx, *best_dy;
} ss_interior;

/* NULL when the method can treat the inclusion. */
const char *ss_interior_refuses(const ss_inclusion *inclusion);
/* At most `most` iterations, from the middle of the cones. */
ss_status ss_interior_iterate(ss_interior *s, ss_run *run, int most);
void ss_interior_release(ss_interior *s);

extern const ss_solver_ops ss_solver_type_interior;

#endif
