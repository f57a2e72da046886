/* law_characteristic.c: Coulomb friction whose coefficient depends on the slip speed (Wösle & Pfeiffer, Fig. 1): μ(0) = μ_0 when
 * it sticks, and a curve through given points when it slides.
 *
 * Between the points the curve is a monotone cubic (Fritsch & Carlson): it has no corners, and no peaks that were not given.
 * Beyond the last point it is constant. */
#include "types/refuse.h"
#include "types/types.h"
#include "types/vectors.h"

#include <math.h>

typedef struct characteristic {
    ss_matrix mu, speed;
    ss_text normal;
    double *slope; /* dμ/dv at the points */
} characteristic;

static const ss_key keys[] = {
    {"mu", SS_KEY_REALS, offsetof(characteristic, mu), NULL, 0, INFINITY, NULL, "",
     "Coefficients at the speeds of `speed`; the first one holds when it sticks. Between them a "
     "smooth curve without other peaks, beyond the last one it is constant."},
    {"speed", SS_KEY_REALS, offsetof(characteristic, speed), NULL, 0, INFINITY, NULL, "m/s",
     "Slip speeds, from 0 upwards."},
    {"normal", SS_KEY_TEXT, offsetof(characteristic, normal), "", 0, 0, NULL, "",
     "Group whose law gives the normal impulse (gap, or element.gap); not given: the only "
     "geometric group of one row in the same element."},
    {.name = NULL},
};

static ss_status check(ss_setup *setup, const characteristic *self)
{
    int n = self->mu.rows, dim = ss_setup_dim(setup);
    if (dim > 2)
        return ss_refuse(setup, "characteristic is for 1 or 2 rows, not %d", dim);
    if (n < 2 || self->speed.rows != n)
        return ss_refuse(setup,
                         "'mu' and 'speed' must have equally many numbers, two at least; "
                         "they have %d and %d",
                         n, self->speed.rows);
    if (self->speed.values[0] != 0)
        return ss_refuse(setup, "'speed' must begin with 0, not with %g", self->speed.values[0]);
    for (int i = 1; i < n; i++)
        if (!(self->speed.values[i] > self->speed.values[i - 1]))
            return ss_refuse(setup, "'speed' must increase; %g follows %g", self->speed.values[i],
                             self->speed.values[i - 1]);
    return SS_OK;
}

/* Slope of the straight line from point i to the next. */
static double secant(const characteristic *self, int i)
{
    const double *mu = self->mu.values, *v = self->speed.values;
    return (mu[i + 1] - mu[i]) / (v[i + 1] - v[i]);
}

/* Slopes that keep each piece monotone: harmonic means inside, zero at extremes and at the end. */
static void find_slopes(characteristic *self)
{
    int n = self->mu.rows;
    self->slope[0] = secant(self, 0);
    self->slope[n - 1] = 0;
    for (int i = 1; i < n - 1; i++) {
        double left = secant(self, i - 1), right = secant(self, i);
        self->slope[i] = left * right > 0 ? 2 * left * right / (left + right) : 0;
    }
}

static ss_status init(void *opaque, ss_setup *setup)
{
    characteristic *self = opaque;
    SS_TRY(check(setup, self));
    SS_TRY(ss_setup_scale_from(setup, self->normal.text ? &self->normal : NULL));
    SS_TRY(ss_setup_allocate(setup, (size_t)self->mu.rows, sizeof *self->slope,
                             (void **)&self->slope));
    find_slopes(self);
    return SS_OK;
}

/* μ(v), by Hermite's cubic. */
static double coefficient(const characteristic *self, double speed)
{
    const double *mu = self->mu.values, *v = self->speed.values;
    int n = self->mu.rows, i = 0;
    if (speed >= v[n - 1])
        return mu[n - 1];
    while (speed >= v[i + 1])
        i++;
    double h = v[i + 1] - v[i], s = (speed - v[i]) / h, r = 1 - s;
    return r * r * (1 + 2 * s) * mu[i] + s * s * (1 + 2 * r) * mu[i + 1] +
           h * s * r * (r * self->slope[i] - s * self->slope[i + 1]);
}

static ss_status set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    double speed = ss_vector_length(at->dim, at->gamma);
    *set =
        (ss_law_set){at->dim == 1 ? ss_set_interval() : ss_set_disk(2), coefficient(opaque, speed)};
    return SS_OK;
}

const ss_law_ops ss_characteristic_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "characteristic",
             "Coulomb friction with a coefficient that depends on the slip speed.",
             sizeof(characteristic), keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_SET_OF_SPEED,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = init,
    .set = set,
};
