/* splitting.h: methods that take turns between G and the sets: projected gradients and ADMM.
 * They work in the scaled units of run.h and treat all sets. */
#ifndef SS_SOLVER_SPLITTING_H
#define SS_SOLVER_SPLITTING_H

#include "solver/methods.h"

/* Vectors of n_rows each. */
typedef struct ss_splitting {
    double *x, *v, *z, *w, *last;
} ss_splitting;

/* Memory and matrix; x from run->P. */
ss_status ss_splitting_prepare(ss_splitting *s, ss_run *run);

/* z = projection of y: contacts onto Coulomb's cone, other blocks onto their sets, scaled as
 * `at` tells. */
void ss_splitting_project(const ss_run *run, const double *at, double *y);
/* An estimate from above of the largest eigenvalue of A. */
double ss_splitting_largest(ss_splitting *s, const ss_run *run);

#endif
