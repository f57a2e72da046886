/* force_spring.c: a linear spring between two points, of potential c (r - L)² / 2. */
#include "types/pair.h"
#include "types/types.h"

#include <math.h>

typedef struct spring {
    ss_pair pair;
    double stiffness, length;
} spring;

static const ss_key keys[] = {
    SS_PAIR_KEYS(spring),
    {"stiffness", SS_KEY_REAL, offsetof(spring, stiffness), NULL, 0, INFINITY, NULL, "N/m",
     "Stiffness c: the force is c (distance - length) and pulls when the spring is too long."},
    {"length", SS_KEY_REAL, offsetof(spring, length), "0", 0, INFINITY, NULL, "m",
     "Length without force."},
    {.name = NULL},
};

static ss_status init(void *opaque, ss_setup *setup)
{
    spring *self = opaque;
    return ss_pair_attach(setup, &self->pair);
}

static ss_status h(const void *opaque, const ss_at *at, double *const *h)
{
    const spring *self = opaque;
    ss_ray ray = ss_pair_ray(&self->pair, at);
    double apply_force = -self->stiffness * (ray.length - self->length);
    double f[3] = {apply_force * ray.n[0], apply_force * ray.n[1], apply_force * ray.n[2]};
    ss_pair_generalized_force(&self->pair, at, f, 0, h);
    return SS_OK;
}

/* ∂f/∂d = -c (n nᵀ + (1 - L/r) (I - n nᵀ)) */
static ss_status derivatives(const void *opaque, const ss_at *at, double *const *dhdq,
                             double *const *dhdu)
{
    const spring *self = opaque;
    int dim = self->pair.dim;
    ss_ray ray = ss_pair_ray(&self->pair, at);
    double across = self->length == 0 ? 1.0
                    : ray.length > 0  ? 1.0 - self->length / ray.length
                                      : 0.0;
    double apply_force = -self->stiffness * (ray.length - self->length), A[9];
    for (int i = 0; i < dim * dim; i++) {
        double nn = ray.n[i / dim] * ray.n[i % dim];
        A[i] = -self->stiffness * (nn + across * ((i / dim == i % dim) - nn));
    }
    ss_pair_force force = {
        {apply_force * ray.n[0], apply_force * ray.n[1], apply_force * ray.n[2]}, A, NULL};
    ss_pair_derivatives(&self->pair, at, &force, dhdq, dhdu);
    return SS_OK;
}

static ss_status potential(const void *opaque, const ss_at *at, double *V)
{
    const spring *self = opaque;
    double stretch = ss_pair_ray(&self->pair, at).length - self->length;
    *V = 0.5 * self->stiffness * stretch * stretch;
    return SS_OK;
}

const ss_force_ops ss_spring_ops = {
    .type = {SS_ABI, sizeof(ss_force_ops), "spring",
             "A linear spring between two points, or a point and a point fixed in space.",
             sizeof(spring), keys},
    .init = init,
    .h = h,
    .potential = potential,
    .derivatives = derivatives,
};
