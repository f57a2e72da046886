/* element_plane.c: a point, or a ball around it, above a plane (a line in the plane, a place on
 * a line).
 *
 *   g = nᵀ (x - p - v t) - radius,   slip = tᵀ (x' - v), for a turning ball at the point of contact
 */
#include "la/small.h"
#include "model/refuse.h"
#include "types/points.h"
#include "types/types.h"

#include <math.h>
#include <string.h>

typedef struct plane {
    ss_text system;
    ss_matrix point, normal, through, velocity, tangent; /* as given */
    double radius;
    ss_point x;
    int rows;
    double frame[3][3]; /* n, t1, t2 */
    double p[3], v[3];
} plane;

static const ss_key keys[] = {
    {"system", SS_KEY_TEXT, offsetof(plane, system), NULL, 0, 0, NULL, "",
     "System that meets the plane."},
    {"point", SS_KEY_REALS, offsetof(plane, point), "", 0, 0, NULL, "m",
     "Point that contacts it, in the frame of its body; the origin of that frame when not given."},
    {"radius", SS_KEY_REAL, offsetof(plane, radius), "0", 0, INFINITY, NULL, "m",
     "Radius of a ball or wheel around the point."},
    {"normal", SS_KEY_REALS, offsetof(plane, normal), NULL, 0, 0, NULL, "",
     "Normal of the plane, towards the side where the gap is positive; of any length."},
    {"through", SS_KEY_REALS, offsetof(plane, through), "", 0, 0, NULL, "m",
     "A point of the plane; the origin when not given."},
    {"velocity", SS_KEY_REALS, offsetof(plane, velocity), "", 0, 0, NULL, "m/s",
     "Constant velocity of the plane, e.g. of a conveyor belt; zero when not given."},
    {"tangent", SS_KEY_REALS, offsetof(plane, tangent), "", 0, 0, NULL, "",
     "In space, the direction of the first slip row (its part along the plane is taken)."},
    {.name = NULL},
};

/* Reads a vector of the plane's space, or leaves it zero when it is not given. */
static ss_status read_optional(const ss_setup *setup, const char *key, const ss_matrix *given,
                               int dim, double *x)
{
    return given->rows ? ss_read_numbers(setup, key, given, dim, x) : SS_OK;
}

/* In space t1 = the part of `along` in the plane, t2 = n × t1. */
static ss_status make_tangents(const ss_setup *setup, plane *self)
{
    double *n = self->frame[0], *t1 = self->frame[1], *t2 = self->frame[2];
    if (self->tangent.rows && self->x.dim != 3)
        return ss_refuse(setup, "'tangent' is for planes in space; system '%s' has %d dimension%s",
                         self->system.text, self->x.dim, self->x.dim == 1 ? "" : "s");
    if (self->x.dim == 2) { /* to the right when the normal points up */
        t1[0] = n[1];
        t1[1] = -n[0];
    }
    if (self->x.dim < 3)
        return SS_OK;
    double along[3] = {fabs(n[0]) < 0.9, fabs(n[0]) >= 0.9, 0};
    SS_TRY(read_optional(setup, "tangent", &self->tangent, 3, along));
    memcpy(t1, along, 3 * sizeof *t1);
    ss_axpy(3, -ss_vector_dot(3, n, along), n, t1);
    double length = ss_vector_length(3, t1);
    if (!(length > 1e-8 * ss_vector_length(3, along)) || !isfinite(length))
        return ss_refuse(setup, "'tangent' must have a part along the plane");
    for (int i = 0; i < 3; i++)
        t1[i] /= length;
    ss_cross3(n, t1, t2);
    return SS_OK;
}

static ss_status init(void *opaque, ss_setup *setup)
{
    plane *self = opaque;
    SS_TRY(ss_point_attach(setup, &self->system, "point", &self->point, &self->x));
    SS_TRY(ss_read_direction(setup, "normal", &self->normal, self->x.dim, self->frame[0]));
    SS_TRY(make_tangents(setup, self));
    SS_TRY(read_optional(setup, "through", &self->through, self->x.dim, self->p));
    SS_TRY(read_optional(setup, "velocity", &self->velocity, self->x.dim, self->v));
    self->rows = self->x.dim;
    SS_TRY(ss_setup_rows(setup, "gap", 1, SS_GEOMETRIC));
    return self->rows > 1 ? ss_setup_rows(setup, "slip", self->rows - 1, SS_KINEMATIC) : SS_OK;
}

static ss_status gap(const void *opaque, const ss_at *at, double *g)
{
    const plane *self = opaque;
    double x[3];
    ss_point_position(&self->x, at, x);
    for (int i = 0; i < self->x.dim; i++)
        x[i] -= self->p[i] + self->v[i] * at->t;
    memset(g, 0, (size_t)self->rows * sizeof *g);
    g[0] = ss_vector_dot(self->x.dim, self->frame[0], x) - self->radius;
    return SS_OK;
}

static ss_status W(const void *opaque, const ss_at *at, double *const *result)
{
    const plane *self = opaque;
    double *w = result[0], foot[3] = {0};
    memset(w, 0, (size_t)(self->rows * self->x.nu) * sizeof *w);
    ss_axpy(self->x.dim, -self->radius, self->frame[0], foot);
    for (int row = 0; row < self->rows; row++)
        ss_point_generalized_force_from(&self->x, at, foot, self->frame[row], &w[row * self->x.nu]);
    return SS_OK;
}

static ss_status zeta(const void *opaque, const ss_at *at, double *result)
{
    const plane *self = opaque;
    (void)at;
    for (int row = 0; row < self->rows; row++)
        result[row] = -ss_vector_dot(self->x.dim, self->frame[row], self->v);
    return SS_OK;
}

static ss_status zeta_hat(const void *opaque, const ss_at *at, double *result)
{
    const plane *self = opaque;
    double a[3];
    ss_point_bias(&self->x, at, a);
    for (int row = 0; row < self->rows; row++)
        result[row] = ss_vector_dot(self->x.dim, self->frame[row], a);
    return SS_OK;
}

const ss_element_ops ss_plane_ops = {
    .type = {SS_ABI, sizeof(ss_element_ops), "plane",
             "A point or ball above a plane: groups gap (1 row) and slip (1 row in the plane, 2 in "
             "space).",
             sizeof(plane), keys},
    .init = init,
    .gap = gap,
    .W = W,
    .zeta = zeta,
    .zeta_hat = zeta_hat,
};
