/* law_stribeck.c: friction that decreases with speed: its resistance is a / (1 + δ|γ|) when it
 * slides.
 *
 * It is the sum of the set-valued friction of bound a, which resists with a when it slides, and
 * the single-valued term a (1 - 1/(1 + δ|γ|)) γ/|γ| along the motion (S7.11, with the sign that
 * makes the sum decrease). */
#include "types/refuse.h"
#include "types/types.h"
#include "types/vectors.h"

typedef struct stribeck {
    double bound, delta;
} stribeck;

static const ss_key keys[] = {
    {"bound", SS_KEY_REAL, offsetof(stribeck, bound), NULL, 0, INFINITY, NULL, "N",
     "Bound a of the friction force when it sticks."},
    {"delta", SS_KEY_REAL, offsetof(stribeck, delta), NULL, 0, INFINITY, NULL, "s/m",
     "Decrease with speed: the sliding resistance is a / (1 + delta |γ|)."},
    {.name = NULL},
};

static ss_status init(void *self, ss_setup *setup)
{
    int dim = ss_setup_dim(setup);
    (void)self;
    if (dim > 2)
        return ss_refuse(setup, "stribeck is for 1 or 2 rows, not %d", dim);
    return SS_OK;
}

static ss_status set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const stribeck *self = opaque;
    *set = (ss_law_set){at->dim == 1 ? ss_set_interval() : ss_set_disk(2), self->bound * at->dt};
    return SS_OK;
}

static ss_status added(const void *opaque, const ss_law_at *at, double *P)
{
    const stribeck *self = opaque;
    double speed = ss_vector_length(at->dim, at->gamma);
    /* (1 - 1/(1 + δs)) / s without the division by s */
    double factor = self->bound * at->dt * self->delta / (1.0 + self->delta * speed);
    for (int i = 0; i < at->dim; i++)
        P[i] = factor * at->gamma[i];
    return SS_OK;
}

const ss_law_ops ss_stribeck_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "stribeck",
             "Friction that decreases with speed: bound / (1 + delta |γ|) when it slides.",
             sizeof(stribeck), keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_ADDED,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = init,
    .set = set,
    .added = added,
};
