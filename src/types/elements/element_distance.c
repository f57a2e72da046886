/* element_distance.c: how far two points are apart, r = |b - a|, beside a length L(t).
 *
 *   outside: g = r - L (kept apart);   inside: g = L - r (a rope);   with a bilateral law a rod
 */
#include "model/refuse.h"
#include "types/points.h"
#include "types/time_function.h"
#include "types/types.h"

typedef struct distance {
    ss_point_pair pair;
    ss_text length;
    int side; /* 0 outside, 1 inside */
    ss_time_function L;
    double sign; /* of r in the gap */
} distance;

static const ss_key keys[] = {
    SS_PAIR_KEYS(distance),
    {"length", SS_KEY_EXPRESSION, offsetof(distance, length), NULL, 0, 0, NULL, "m",
     "Length L > 0, an expression of t and the parameters."},
    {"side", SS_KEY_CHOICE, offsetof(distance, side), "outside", 0, 0, "outside|inside", "",
     "Where the gap is positive: outside (gap = distance - length) or inside (length - distance)."},
    {.name = NULL},
};

static ss_status init(void *opaque, ss_setup *setup)
{
    distance *self = opaque;
    SS_TRY(ss_pair_attach(setup, &self->pair));
    SS_TRY(ss_time_function_compile(setup, "length", &self->length, &self->L));
    if (!self->L.formula && !(self->L.constant > 0))
        return ss_refuse(setup, "'length' must be a number > 0 in m, not %g", self->L.constant);
    self->sign = self->side == 0 ? 1.0 : -1.0;
    return ss_setup_rows(setup, "gap", 1, SS_GEOMETRIC);
}

static ss_status gap(const void *opaque, const ss_at *at, double *g)
{
    const distance *self = opaque;
    ss_ray ray = ss_pair_ray(&self->pair, at);
    *g = self->sign * (ray.length - ss_time_function_at(&self->L, at).value);
    return SS_OK;
}

static ss_status W(const void *opaque, const ss_at *at, double *const *result)
{
    const distance *self = opaque;
    ss_ray ray = ss_pair_ray(&self->pair, at);
    for (int i = 0; i < self->pair.dim; i++)
        ray.n[i] *= self->sign;
    ss_pair_clear(&self->pair, 1, result);
    ss_pair_generalized_force(&self->pair, at, ray.n, 0, result);
    return SS_OK;
}

static ss_status zeta(const void *opaque, const ss_at *at, double *result)
{
    const distance *self = opaque;
    *result = -self->sign * ss_time_function_at(&self->L, at).rate;
    return SS_OK;
}

/* r'' at u' = 0 is nᵀa + (vᵀv - (nᵀv)²) / r. */
static ss_status zeta_hat(const void *opaque, const ss_at *at, double *result)
{
    const distance *self = opaque;
    int dim = self->pair.dim;
    ss_ray ray = ss_pair_ray(&self->pair, at);
    double v[3], a[3];
    ss_pair_velocity(&self->pair, at, v);
    ss_pair_bias(&self->pair, at, a);
    double rate = ss_vector_dot(dim, ray.n, v);
    double bend = ray.length > 0 ? (ss_vector_dot(dim, v, v) - rate * rate) / ray.length : 0.0;
    double L = ss_time_function_at(&self->L, at).acceleration;
    *result = self->sign * (ss_vector_dot(dim, ray.n, a) + bend - L);
    return SS_OK;
}

const ss_element_ops ss_distance_ops = {
    .type = {SS_ABI, sizeof(ss_element_ops), "distance",
             "The distance of two points beside a length: rod, rope or ball (group gap, 1 row).",
             sizeof(distance), keys},
    .init = init,
    .gap = gap,
    .W = W,
    .zeta = zeta,
    .zeta_hat = zeta_hat,
};
