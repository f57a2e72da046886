/* uzawa.c: Uzawa's iteration for the saddle point of the augmented Lagrangian (Studer & Glocker
 * 6.6): the motion with the multipliers held fixed, then every multiplier replaced by its
 * projection, friction with the new normal one. */
#include "solver/splitting.h"

#include "la/small.h"

#include <float.h>

static void project_contact(const ss_group *K, double *y)
{
    double N = y[0] > 0.0 ? y[0] : 0.0, R = K->mu * N;
    double size = ss_norm(K->dim - 1, y + 1), factor = size > R ? R / size : 1.0;
    y[0] = N;
    for (int k = 1; k < K->dim; k++)
        y[k] *= factor;
}

static ss_status iterate(void *self, ss_run *run)
{
    ss_splitting *s = self;
    SS_TRY(ss_splitting_prepare(s, run));
    double r = 1.0 / ss_splitting_largest(s);
    do {
        ss_scaled_apply(&s->scaled, s->x, s->v);
        ss_splitting_judge(s, run, s->x, s->v);
        if (run->solved)
            break;
        for (int k = 0; k < run->g->n_rows; k++)
            s->z[k] = s->x[k] - r * s->v[k];
        for (int k = 0; k < run->g->n_groups; k++)
            if (run->g->groups[k].tangential >= 0)
                project_contact(&run->g->groups[k], s->z + run->g->groups[k].row);
        /* What is in Coulomb's cone stays where it is; the other blocks are left to project. */
        ss_splitting_project(s, run, s->x, s->z);
        for (int k = 0; k < run->g->n_rows; k++)
            s->x[k] = s->z[k];
    } while (ss_run_count(run, run->P));
    return SS_OK;
}

SS_SPLITTING_TYPE(uzawa, "Uzawa's iteration for the augmented Lagrangian, one step length for all.",
                  "1000000");
