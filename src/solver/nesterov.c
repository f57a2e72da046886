/* nesterov.c: projected gradients with Nesterov's extrapolation, begun anew when it leads astray
 * (O'Donoghue and Candès), on De Saxcé's form: the shift μ‖u_T‖ is that of the point where the
 * gradient is taken. */
#include "la/small.h"
#include "solver/splitting.h"

#include <string.h>

/* Goes on from x with the extrapolated point in w; false when the run is over. */
static bool step(ss_splitting *s, ss_run *run, double r, double *momentum)
{
    int n = run->g->n_rows;
    double astray = 0.0;
    ss_scaled_apply(run->scaled, s->w, s->v);
    for (int k = 0; k < run->g->n_groups; k++) { /* v_N += μ ‖v_T‖ */
        const ss_gathered_group *K = &run->g->groups[k];
        if (K->tangential >= 0)
            s->v[K->row] += K->mu * ss_norm(K->dim - 1, s->v + K->row + 1);
    }
    for (int k = 0; k < n; k++)
        s->z[k] = s->w[k] - r * s->v[k];
    ss_splitting_project(run, s->w, s->z);
    for (int k = 0; k < n; k++)
        astray += (s->w[k] - s->z[k]) * (s->z[k] - s->x[k]);
    double before = *momentum;
    *momentum = 0.5 * (1.0 + sqrt(1.0 + 4.0 * before * before));
    double weight = (before - 1.0) / *momentum;
    if (astray > 0.0) {
        *momentum = 1.0;
        weight = 0.0;
    }
    for (int k = 0; k < n; k++)
        s->w[k] = s->z[k] + weight * (s->z[k] - s->x[k]);
    memcpy(s->x, s->z, (size_t)n * sizeof *s->x);
    ss_scaled_apply(run->scaled, s->x, s->v);
    ss_scaled_judge(run, s->x, s->v);
    return ss_run_count(run, run->P) && !run->solved;
}

static ss_status iterate(void *self, ss_run *run)
{
    (void)self;
    ss_splitting s;
    double momentum = 1.0;
    SS_TRY(ss_splitting_prepare(&s, run));
    double r = 1.0 / ss_splitting_largest(&s, run);
    memcpy(s.w, s.x, (size_t)run->g->n_rows * sizeof *s.x);
    while (step(&s, run, r, &momentum))
        ;
    return SS_OK;
}

static const ss_key keys[] = {SS_RUN_KEYS("100000"), {.name = NULL}};

const ss_method ss_method_nesterov = {
    .ops.type = {.name = "nesterov",
                 .doc = "Accelerated projected gradients with restart; no factors, little memory.",
                 .self_size = sizeof(ss_run_solver),
                 .keys = keys},
    .iterate = iterate,
};
