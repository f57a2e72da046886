/* force_spring.c: a linear spring between two points, of potential c (r - L)² / 2, and a linear damper along the
 * line through them. */
#include "types/points.h"
#include "types/types.h"

typedef struct spring {
    ss_point_pair pair;
    double stiffness, length; /* of a spring */
    double damping;           /* of a damper */
} spring;

static const ss_key spring_keys[] = {
    SS_PAIR_KEYS(spring),
    {"stiffness", SS_KEY_REAL, offsetof(spring, stiffness), NULL, 0, INFINITY, NULL, "N/m",
     "Stiffness c: the force is c (distance - length) and pulls when the spring is too long."},
    {"length", SS_KEY_REAL, offsetof(spring, length), "0", 0, INFINITY, NULL, "m",
     "Length without force."},
    {.name = NULL},
};

static const ss_key damper_keys[] = {
    SS_PAIR_KEYS(spring),
    {"damping", SS_KEY_REAL, offsetof(spring, damping), NULL, 0, INFINITY, NULL, "N s/m",
     "Damping d: the force is d times the rate of the distance, against it."},
    {.name = NULL},
};

static ss_status init(void *opaque, ss_setup *setup)
{
    spring *self = opaque;
    return ss_pair_attach(setup, &self->pair);
}

/* f = s n on the second point, -f on the first. */
static ss_pair_force along(const ss_ray *ray, double s, const double *A, const double *B)
{
    return (ss_pair_force){{s * ray->n[0], s * ray->n[1], s * ray->n[2]}, A, B};
}

static ss_status spring_h(const void *opaque, const ss_at *at, double *const *h)
{
    const spring *self = opaque;
    ss_ray ray = ss_pair_ray(&self->pair, at);
    ss_pair_force force = along(&ray, -self->stiffness * (ray.length - self->length), NULL, NULL);
    ss_pair_generalized_force(&self->pair, at, force.f, 0, h);
    return SS_OK;
}

/* ∂f/∂d = -c (n nᵀ + (1 - L/r) (I - n nᵀ)) */
static ss_status spring_derivatives(const void *opaque, const ss_at *at, double *const *dhdq,
                                    double *const *dhdu)
{
    const spring *self = opaque;
    int dim = self->pair.dim;
    ss_ray ray = ss_pair_ray(&self->pair, at);
    double across = self->length == 0 ? 1.0
                    : ray.length > 0  ? 1.0 - self->length / ray.length
                                      : 0.0;
    double A[9];
    for (int i = 0; i < dim * dim; i++) {
        double nn = ray.n[i / dim] * ray.n[i % dim];
        A[i] = -self->stiffness * (nn + across * ((i / dim == i % dim) - nn));
    }
    ss_pair_force force = along(&ray, -self->stiffness * (ray.length - self->length), A, NULL);
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

static ss_status damper_h(const void *opaque, const ss_at *at, double *const *h)
{
    const spring *self = opaque;
    ss_ray ray = ss_pair_ray(&self->pair, at);
    double v[3];
    ss_pair_velocity(&self->pair, at, v);
    ss_pair_force force =
        along(&ray, -self->damping * ss_vector_dot(self->pair.dim, ray.n, v), NULL, NULL);
    ss_pair_generalized_force(&self->pair, at, force.f, 0, h);
    return SS_OK;
}

/* With s = nᵀv: ∂f/∂v = -d n nᵀ, ∂f/∂d = -d (n (v - s n)ᵀ + s (I - n nᵀ)) / r */
static ss_status damper_derivatives(const void *opaque, const ss_at *at, double *const *dhdq,
                                    double *const *dhdu)
{
    const spring *self = opaque;
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
    ss_pair_force force = along(&ray, -self->damping * s, A, B);
    ss_pair_derivatives(&self->pair, at, &force, dhdq, dhdu);
    return SS_OK;
}

const ss_force_ops ss_spring_ops = {
    .type = {SS_ABI, sizeof(ss_force_ops), "spring",
             "A linear spring between two points, or a point and a point fixed in space.",
             sizeof(spring), spring_keys},
    .init = init,
    .h = spring_h,
    .potential = potential,
    .derivatives = spring_derivatives,
};

const ss_force_ops ss_damper_ops = {
    .type = {SS_ABI, sizeof(ss_force_ops), "damper",
             "A linear damper between two points, or a point and a point fixed in space.",
             sizeof(spring), damper_keys},
    .init = init,
    .h = damper_h,
    .derivatives = damper_derivatives,
};
