#include "types/points.h"

#include "types/refuse.h"

#include <math.h>
#include <string.h>

static ss_status has_no_points(const ss_setup *setup, const char *system, const char *type)
{
    return ss_refuse(
        setup,
        "there are no points on system '%s' of type '%s'; use a system of type point or "
        "planar_body, or an expression",
        system, type);
}

static ss_status attach_to_mass(const ss_setup *setup, const char *system, const char *key,
                                const ss_matrix *place, ss_point *point)
{
    if (place->rows)
        return ss_refuse(setup, "'%s' is for bodies that turn; system '%s' is a point", key,
                         system);
    point->dim = point->nu;
    return SS_OK;
}

static ss_status attach_to_body(const ss_setup *setup, const char *key, const ss_matrix *place,
                                ss_point *point)
{
    point->dim = 2;
    point->turns = true;
    return place->rows ? ss_read_numbers(setup, key, place, 2, point->p) : SS_OK;
}

ss_status ss_point_attach(ss_setup *setup, const ss_text *system, const char *key,
                          const ss_matrix *place, ss_point *point)
{
    *point = (ss_point){0};
    SS_TRY(ss_setup_touch(setup, system, &point->local));
    int nq;
    ss_setup_touched(setup, point->local, &nq, &point->nu);
    const char *type = ss_setup_touched_type(setup, point->local);
    if (strcmp(type, "point") == 0)
        return attach_to_mass(setup, system->text, key, place, point);
    if (strcmp(type, "planar_body") == 0)
        return attach_to_body(setup, key, place, point);
    return has_no_points(setup, system->text, type);
}

ss_status ss_point_fix(const ss_setup *setup, int dim, const char *key, const ss_matrix *place,
                       ss_point *point)
{
    *point = (ss_point){.local = -1, .dim = dim};
    return ss_read_numbers(setup, key, place, dim, point->p);
}

/* y = R(phi) p */
static void turn(double phi, const double *p, double *y)
{
    double c = cos(phi), s = sin(phi);
    y[0] = c * p[0] - s * p[1];
    y[1] = s * p[0] + c * p[1];
}

void ss_point_position(const ss_point *point, const ss_at *at, double *x)
{
    if (point->local < 0) {
        memcpy(x, point->p, (size_t)point->dim * sizeof *x);
        return;
    }
    const double *q = at->q[point->local];
    if (!point->turns) {
        memcpy(x, q, (size_t)point->dim * sizeof *x);
        return;
    }
    turn(q[2], point->p, x);
    x[0] += q[0];
    x[1] += q[1];
}

void ss_point_velocity(const ss_point *point, const ss_at *at, double *v)
{
    memset(v, 0, (size_t)point->dim * sizeof *v);
    if (point->local < 0)
        return;
    const double *u = at->u[point->local];
    memcpy(v, u, (size_t)point->dim * sizeof *v);
    if (!point->turns)
        return;
    double arm[2];
    turn(at->q[point->local][2], point->p, arm);
    v[0] -= u[2] * arm[1];
    v[1] += u[2] * arm[0];
}

void ss_point_bias(const ss_point *point, const ss_at *at, double *a)
{
    memset(a, 0, (size_t)point->dim * sizeof *a);
    if (!point->turns)
        return;
    double omega = at->u[point->local][2], arm[2];
    turn(at->q[point->local][2], point->p, arm);
    a[0] = -omega * omega * arm[0];
    a[1] = -omega * omega * arm[1];
}

void ss_point_pull_back(const ss_point *point, const ss_at *at, const double *f, double *w)
{
    if (point->local < 0)
        return;
    for (int i = 0; i < point->dim; i++)
        w[i] += f[i];
    if (!point->turns)
        return;
    double arm[2];
    turn(at->q[point->local][2], point->p, arm);
    w[2] += arm[0] * f[1] - arm[1] * f[0];
}

void ss_point_arm(const ss_point *point, const ss_at *at, double *arm)
{
    arm[0] = arm[1] = 0.0;
    if (point->turns)
        turn(at->q[point->local][2], point->p, arm);
}

void ss_point_jacobian(const ss_point *point, const ss_at *at, double *J)
{
    double arm[2];
    ss_point_arm(point, at, arm);
    for (int i = 0; i < point->dim; i++)
        for (int j = 0; j < point->nu; j++)
            J[i * point->nu + j] = i == j;
    if (point->turns) {
        J[2] = -arm[1];
        J[5] = arm[0];
    }
}
