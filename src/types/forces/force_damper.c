/* force_damper.c: a linear damper between two points, along the line through them. */
#include "types/pair.h"
#include "types/types.h"
#include "types/vectors.h"

#include <math.h>

typedef struct damper {
    ss_pair pair;
    double damping;
} damper;

static const ss_key keys[] = {
    SS_PAIR_KEYS(damper),
    {"damping", SS_KEY_REAL, offsetof(damper, damping), NULL, 0, INFINITY, NULL, "N s/m",
     "Damping d: the force is d times the rate of the distance, against it."},
    {.name = NULL},
};

static ss_status init(void *opaque, ss_setup *setup)
{
    damper *self = opaque;
    return ss_pair_attach(setup, &self->pair);
}

static ss_status h(const void *opaque, const ss_at *at, double *const *h)
{
    const damper *self = opaque;
    ss_ray ray = ss_pair_ray(&self->pair, at);
    double v[3];
    ss_pair_velocity(&self->pair, at, v);
    double apply_force = -self->damping * ss_vector_dot(self->pair.dim, ray.n, v);
    double f[3] = {apply_force * ray.n[0], apply_force * ray.n[1], apply_force * ray.n[2]};
    ss_pair_generalized_force(&self->pair, at, f, 0, h);
    return SS_OK;
}

/* With s = nᵀv: ∂f/∂v = -d n nᵀ, ∂f/∂d = -d (n (v - s n)ᵀ + s (I - n nᵀ)) / r */
static ss_status derivatives(const void *opaque, const ss_at *at, double *const *dhdq,
                             double *const *dhdu)
{
    const damper *self = opaque;
    int dim = self->pair.dim;
    ss_ray ray = ss_pair_ray(&self->pair, at);
    double v[3], A[9], B[9];
    ss_pair_velocity(&self->pair, at, v);
    double s = ss_vector_dot(dim, ray.n, v), r = ray.length > 0 ? ray.length : INFINITY;
    for (int i = 0; i < dim * dim; i++) {
        double n = ray.n[i / dim], m = ray.n[i % dim];
        double bend = n * (v[i % dim] - s * m) + s * ((i / dim == i % dim) - n * m);
        B[i] = -self->damping * n * m;
        A[i] = -self->damping * bend / r;
    }
    double apply_force = -self->damping * s;
    ss_pair_force force = {
        {apply_force * ray.n[0], apply_force * ray.n[1], apply_force * ray.n[2]}, A, B};
    ss_pair_derivatives(&self->pair, at, &force, dhdq, dhdu);
    return SS_OK;
}

const ss_force_ops ss_damper_ops = {
    .type = {SS_ABI, sizeof(ss_force_ops), "damper",
             "A linear damper between two points, or a point and a point fixed in space.",
             sizeof(damper), keys},
    .init = init,
    .h = h,
    .derivatives = derivatives,
};
