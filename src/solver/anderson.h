/* anderson.h: Anderson's acceleration of an iteration x → g(x): the next x is that combination
 * of the last ones whose steps g(x) - x cancel best. */
#ifndef SS_SOLVER_ANDERSON_H
#define SS_SOLVER_ANDERSON_H

#include "base/arena.h"

enum { SS_ANDERSON_MOST = 20 };

typedef struct ss_anderson {
    int n;     /* rows */
    int depth; /* steps that are remembered */
    int count; /* steps that were taken since the last restart */
    bool has_last;
    double last_norm; /* ‖f‖ of the last step */
    /* The shortest step of this window of steps and of those before; when it does not get shorter,
     * `plain` steps follow without acceleration. */
    int steps, plain;
    double shortest, shortest_before;
    const double *weight; /* n: rows of f are weighted in all norms */
    double *f, *g;        /* of the last step */
    double *dF, *dG;      /* depth × n: differences, newest in slot (count - 1) mod depth */
    double Q[SS_ANDERSON_MOST * SS_ANDERSON_MOST]; /* dF dFᵀ */
} ss_anderson;

/* Memory for up to n rows. */
ss_status ss_anderson_create(ss_arena *arena, int n, int depth, ss_anderson *a);
void ss_anderson_start(ss_anderson *a, int n, const double *weight);

/* x: where the step began; g: where it ended. Puts the next x in x. When the step grew (f twice
 * as long as the last one), the acceleration begins anew from the end of the last step. */
void ss_anderson_next(ss_anderson *a, const double *g, double *x);

#endif
