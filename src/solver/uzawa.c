/* uzawa.c: Uzawa's iteration for the saddle point of the augmented Lagrangian (Studer & Glocker
 * 6.6): the motion with the multipliers held fixed, then every multiplier replaced by its
 * projection, friction with the new normal one. */
#include "solver/splitting.h"

#include "la/small.h"
#include "solver/anderson.h"

#include <string.h>

static void project_contact(const ss_gathered_group *K, double *y)
{
    double N = y[0] > 0.0 ? y[0] : 0.0, R = K->mu * N;
    double size = ss_norm(K->dim - 1, y + 1), factor = size > R ? R / size : 1.0;
    y[0] = N;
    for (int k = 1; k < K->dim; k++)
        y[k] *= factor;
}

/* The self. */
typedef struct uzawa_solver {
    ss_run_solver base;
    int acceleration; /* steps that Anderson's acceleration remembers; 0: none */
} uzawa_solver;

/* z: x after one iteration. */
static void advance(const ss_splitting *s, const ss_run *run, double r)
{
    for (int k = 0; k < run->g->n_rows; k++)
        s->z[k] = s->x[k] - r * s->v[k];
    for (int k = 0; k < run->g->n_groups; k++)
        if (run->g->groups[k].tangential >= 0)
            project_contact(&run->g->groups[k], s->z + run->g->groups[k].row);
    /* What is in Coulomb's cone stays where it is; the other blocks are left to project. */
    ss_splitting_project(run, s->x, s->z);
}

static ss_status iterate(void *self, ss_run *run)
{
    uzawa_solver *uzawa = self;
    ss_splitting s;
    ss_anderson anderson;
    int n = run->g->n_rows;
    SS_TRY(ss_splitting_prepare(&s, run));
    double r = 1.0 / ss_splitting_largest(&s, run);
    if (uzawa->acceleration > 0)
        SS_TRY(ss_anderson_create(&uzawa->base.scratch, n, uzawa->acceleration, &anderson));
    for (int k = 0; k < n; k++)
        s.w[k] = 1.0;
    ss_anderson_start(&anderson, n, s.w);
    do {
        ss_scaled_apply(run->scaled, s.x, s.v);
        ss_scaled_judge(run, s.x, s.v);
        if (run->solved)
            break;
        advance(&s, run, r);
        if (uzawa->acceleration > 0) {
            ss_anderson_next(&anderson, s.z, s.x);
            ss_splitting_project(run, s.x, s.x); /* what extrapolation may leave */
        } else {
            memcpy(s.x, s.z, (size_t)n * sizeof *s.x);
        }
    } while (ss_run_count(run, run->P));
    return SS_OK;
}

static const ss_key keys[] = {
    SS_RUN_KEYS("1000000"),
    SS_OPTION_INT(uzawa_solver, acceleration, "10", 0, SS_ANDERSON_MOST,
                  "Steps that Anderson's acceleration remembers; 0: the plain iteration."),
    {.name = NULL},
};

const ss_method ss_method_uzawa = {
    .ops.type = {.name = "uzawa",
                 .doc = "Uzawa's iteration for the augmented Lagrangian, one step length for all, "
                        "accelerated.",
                 .self_size = sizeof(uzawa_solver),
                 .keys = keys},
    .iterate = iterate,
};
