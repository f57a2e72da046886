/* ellipsoid.c: the round disk or ball of radius 1, the set of a spatial friction force; an ellipse,
 * turned by an angle, of friction that depends on the direction; an ellipsoid Σ (x_i / e_i)² <= 1,
 * with axes (c, c, d) the set of Coulomb-Contensou friction, of two tangential forces and a drilling
 * torque (S table 2.1). */
#include "la/elementary.h"
#include "set/set.h"

#include <stddef.h>
#include <string.h>

/* ---- Disk and ball ---- */

static void disk_dimensions(const void *self, int *least, int *most)
{
    (void)self;
    *least = 2;
    *most = 3;
}

/* S table 2.1: y = a x / |x| when |x| > a. In the innermost loop of the solvers, so the squares
 * are formed without scaling where they neither overflow nor underflow. */
static void disk_prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)self;
    double square = scale * scale, factor = 1;
    double sum = x[0] * x[0] + x[1] * x[1];
    if (dim == 3)
        sum += x[2] * x[2];
    if (!(sum > SS_BALL_MIN_SQUARE && sum < SS_BALL_MAX_SQUARE) ||
        (square < SS_BALL_MIN_SQUARE && scale > 0)) {
        ss_ball_prox(dim, scale, x, y);
        return;
    }
    if (sum > square * (1 + SS_BALL_SLACK))
        factor = scale / sqrt(sum);
    y[0] = x[0] * factor;
    y[1] = x[1] * factor;
    if (dim == 3)
        y[2] = x[2] * factor;
}

static void disk_prox_metric(const void *self, int dim, double scale, const double *R,
                             const double *x, double *y)
{
    (void)self;
    ss_ball_prox_metric(dim, scale, R, x, y);
}

static bool disk_contains(const void *self, int dim, double scale, const double *x,
                          double tolerance)
{
    (void)self;
    return ss_ball_norm(dim, x) <= scale * (1 + 0.5 * SS_BALL_SLACK) + tolerance;
}

static double disk_support(const void *self, int dim, double scale, const double *v)
{
    (void)self;
    double length = ss_ball_norm(dim, v);
    return length > 0 ? scale * length : 0;
}

static ss_set_kind disk_kind(const void *self, int dim)
{
    (void)self;
    return dim == 2 ? SS_SET_DISK : SS_SET_BALL;
}

const ss_set_ops ss_set_type_disk = {
    .type = {SS_ABI, sizeof(ss_set_ops), "disk",
             "The round disk or ball of radius 1: dry friction, alike in all directions."},
    .kind = SS_SET_BALL,
    .dimensions = disk_dimensions,
    .kind_of = disk_kind,
    .prox = disk_prox,
    .prox_metric = disk_prox_metric,
    .contains = disk_contains,
    .support = disk_support,
};

const ss_set *ss_set_disk(int dim)
{
    static const ss_set plane = {&ss_set_type_disk, NULL, 2, SS_SET_DISK};
    static const ss_set space = {&ss_set_type_disk, NULL, 3, SS_SET_BALL};
    return dim == 2 ? &plane : dim == 3 ? &space : NULL;
}

/* ---- Ellipse and ellipsoid ---- */

enum { MAX_DIM = 3 };

typedef ss_ellipsoid_self ellipsoid;

static const ss_key ellipse_keys[] = {
    {"axes", SS_KEY_REALS, offsetof(ellipsoid, given), NULL, SS_SECULAR_MIN_AXIS,
     SS_SECULAR_MAX_AXIS, NULL, "", "Two semi-axes, multiplied by the scale."},
    {"angle", SS_KEY_REAL, offsetof(ellipsoid, angle), "0", 0, 0, NULL, "rad",
     "From the first direction to the first semi-axis, counter-clockwise."},
    {.name = NULL},
};

static const ss_key ellipsoid_keys[] = {
    {"axes", SS_KEY_REALS, offsetof(ellipsoid, given), NULL, SS_SECULAR_MIN_AXIS,
     SS_SECULAR_MAX_AXIS, NULL, "", "Three semi-axes, multiplied by the scale."},
    {.name = NULL},
};

static void put_axes(ellipsoid *e, int dim, const double *axes)
{
    double shortest = axes[0];
    for (int i = 1; i < dim; i++)
        shortest = fmin(shortest, axes[i]);
    e->dim = dim;
    for (int i = 0; i < dim; i++) {
        double ratio = axes[i] / shortest;
        e->e[i] = axes[i];
        e->d[i] = fmin(ratio * ratio, SS_SECULAR_MAX_RATIO);
    }
}

static ss_status init(ellipsoid *e, ss_context *context, const char *set, int dim)
{
    const ss_matrix *given = &e->given;
    if (given->rows != dim || given->columns != 1)
        return ss_fail(context, SS_INPUT, "set '%s': axes must be %d positive numbers, not %d", set,
                       dim, given->rows * given->columns);
    e->c = ss_cos(e->angle);
    e->s = ss_sin(e->angle);
    put_axes(e, dim, given->values);
    return SS_OK;
}

static ss_status init_ellipse(void *self, ss_context *context)
{
    return init(self, context, "ellipse", 2);
}

static ss_status init_ellipsoid(void *self, ss_context *context)
{
    return init(self, context, "ellipsoid", 3);
}

static void dimensions(const void *self, int *least, int *most)
{
    *least = *most = ((const ellipsoid *)self)->dim;
}

/* Into the frame of the axes, or with s = -sin(angle) back from there. */
static void turn(const ellipsoid *e, double s, const double *x, double *y)
{
    if (e->dim == 3) {
        memcpy(y, x, 3 * sizeof *y);
        return;
    }
    y[0] = e->c * x[0] + s * x[1];
    y[1] = e->c * x[1] - s * x[0];
}

/* S2.22, S B.1, S B.6 */
static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    const ellipsoid *e = self;
    double xi[MAX_DIM], eta[MAX_DIM], z[MAX_DIM];
    turn(e, e->s, x, xi);
    ss_secular_prox(dim, e->e, e->d, scale, xi, eta);
    turn(e, -e->s, eta, z);
    double rounded = e->s != 0 ? fmax(fabs(x[0]), fabs(x[1])) : 0;
    bool stays = dim == 2 && ss_stays(rounded, x, z);
    memmove(y, stays ? x : z, (size_t)dim * sizeof *y);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    return ss_set_near(&ss_set_type_ellipsoid, self, dim, scale, x, tolerance);
}

/* Qᵀ R Q with Q = [c -s; s c] */
static void turn_metric(const ellipsoid *e, const double *R, double *T)
{
    if (e->dim == 3) {
        memcpy(T, R, 9 * sizeof *T);
        return;
    }
    double c = e->c, s = e->s, off = 0.5 * (R[1] + R[2]);
    T[0] = c * c * R[0] + 2 * c * s * off + s * s * R[3];
    T[1] = T[2] = c * s * (R[3] - R[0]) + (c * c - s * s) * off;
    T[3] = s * s * R[0] - 2 * c * s * off + c * c * R[3];
}

/* With A = diag(e), the ellipsoid is A times a ball, and S2.19 makes this a projection to the
 * ball in the metric A R A. */
static void prox_metric(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y)
{
    const ellipsoid *e = self;
    double xi[MAX_DIM] = {0}, T[MAX_DIM * MAX_DIM], w[MAX_DIM];
    if (contains(self, dim, scale, x, 0)) {
        memmove(y, x, (size_t)dim * sizeof *y);
        return;
    }
    turn(e, e->s, x, xi);
    turn_metric(e, R, T);
    if (!ss_secular_inside(dim, e->e, scale, xi)) {
        for (int i = 0; i < dim * dim; i++)
            T[i] = e->e[i / dim] * T[i] * e->e[i % dim];
        for (int i = 0; i < dim; i++)
            w[i] = xi[i] / e->e[i];
        ss_ball_prox_metric(dim, scale, T, w, w);
        for (int i = 0; i < dim; i++)
            xi[i] = e->e[i] * w[i];
    }
    turn(e, -e->s, xi, y);
}

static double support(const void *self, int dim, double scale, const double *v)
{
    const ellipsoid *e = self;
    double nu[MAX_DIM] = {0};
    turn(e, e->s, v, nu);
    for (int i = 0; i < dim; i++)
        nu[i] *= e->e[i];
    return disk_support(NULL, dim, scale, nu);
}

static ss_set_kind kind_of(const void *self, int dim)
{
    const ellipsoid *e = self;
    for (int i = 0; i < dim; i++)
        if (e->e[i] != 1)
            return dim == 2 ? SS_SET_ELLIPSE : SS_SET_ELLIPSOID;
    return disk_kind(NULL, dim);
}

const ss_set_ops ss_set_type_ellipse = {
    .type = {SS_ABI, sizeof(ss_set_ops), "ellipse",
             "An ellipse given by its semi-axes: friction that depends on the direction.",
             sizeof(ellipsoid), ellipse_keys},
    .kind = SS_SET_ELLIPSE,
    .init = init_ellipse,
    .dimensions = dimensions,
    .kind_of = kind_of,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};

const ss_set_ops ss_set_type_ellipsoid = {
    .type = {SS_ABI, sizeof(ss_set_ops), "ellipsoid",
             "An ellipsoid given by its semi-axes: friction with a drilling torque.",
             sizeof(ellipsoid), ellipsoid_keys},
    .kind = SS_SET_ELLIPSOID,
    .init = init_ellipsoid,
    .dimensions = dimensions,
    .kind_of = kind_of,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};

/* ---- Sets whose numbers change ---- */

void ss_changing_set_put(ss_changing_set *changing, int dim, const double *axes)
{
    ss_set *set = &changing->set;
    if (dim == 1) {
        changing->self.interval = (ss_interval_self){axes[0], axes[1]};
        *set = (ss_set){&ss_set_type_interval, &changing->self, 1, SS_SET_UNEVEN_INTERVAL};
        return;
    }
    ellipsoid *e = &changing->self.ellipsoid;
    double least[MAX_DIM];
    for (int i = 0; i < dim; i++)
        least[i] = fmax(axes[i], SS_SECULAR_MIN_AXIS);
    *e = (ellipsoid){.c = 1};
    put_axes(e, dim, least);
    const ss_set_ops *ops = dim == 2 ? &ss_set_type_ellipse : &ss_set_type_ellipsoid;
    *set = (ss_set){ops, e, dim, ops->kind};
}
