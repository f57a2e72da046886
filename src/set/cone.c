/* cone.c: { x | ‖(x_2, …)‖ <= μ x_1 }, normal force and friction together. Its normal cone is not
 * Coulomb's law: at the boundary it has a part along the normal (Preclik, Rüde & Popa, 4.4). */
#include "set/set.h"

#include <stddef.h>
#include <string.h>

static const ss_key keys[] = {
    {"mu", SS_KEY_REAL, offsetof(ss_friction_cone, mu), NULL, 0, 1e6, NULL, "",
     "Friction coefficient: tangent of half the angle at the tip."},
    {.name = NULL},
};

static void dimensions(const void *self, int *least, int *most)
{
    (void)self;
    *least = 2;
    *most = 3;
}

/* Nearest point: itself, the tip, or on the surface. */
static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)scale;
    double mu = ((const ss_friction_cone *)self)->mu, N = x[0];
    double T = dim == 2 ? fabs(x[1]) : ss_ball_norm(2, x + 1);
    if (y != x)
        memcpy(y, x, (size_t)dim * sizeof *y);
    if (T <= mu * N * (1 + SS_BALL_SLACK))
        return;
    double along = (mu * T + N) / (1 + mu * mu);
    if (along <= 0) {
        memset(y, 0, (size_t)dim * sizeof *y);
        return;
    }
    y[0] = along;
    for (int k = 1; k < dim; k++)
        y[k] = x[k] * (mu * along / T);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    return ss_set_near(&ss_set_type_cone, self, dim, scale, x, tolerance);
}

/* A cone: 0 against v in its polar cone, else without bound. */
static double support(const void *self, int dim, double scale, const double *v)
{
    (void)scale;
    double mu = ((const ss_friction_cone *)self)->mu;
    double T = dim == 2 ? fabs(v[1]) : ss_ball_norm(2, v + 1);
    return v[0] + mu * T > 0 ? INFINITY : 0;
}

const ss_set_ops ss_set_type_cone = {
    .type = {SS_ABI, sizeof(ss_set_ops), "cone",
             "The friction cone: normal force first, then at most mu times as much friction.",
             sizeof(ss_friction_cone), keys},
    .kind = SS_SET_CONE,
    .dimensions = dimensions,
    .prox = prox,
    .contains = contains,
    .support = support,
};
