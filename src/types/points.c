/* points.c: points that move with a system, or are fixed in space. */
#include "types/points.h"

#include "types/refuse.h"
#include "types/vectors.h"

#include <math.h>
#include <string.h>

static ss_status has_no_points(const ss_setup *setup, const char *system, const char *type)
{
    return ss_refuse(setup,
                     "there are no points on system '%s' of type '%s'; use a system of type point, "
                     "planar_body or body, or an expression",
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

static ss_status attach_to_planar_body(const ss_setup *setup, const char *key,
                                       const ss_matrix *place, ss_point *point)
{
    point->dim = 2;
    point->turns = true;
    return place->rows ? ss_read_numbers(setup, key, place, 2, point->p) : SS_OK;
}

static ss_status attach_to_body(const ss_setup *setup, const char *key, const ss_matrix *place,
                                ss_point *point)
{
    point->dim = 3;
    return place->rows ? ss_read_numbers(setup, key, place, 3, point->p) : SS_OK;
}

ss_status ss_point_attach(ss_setup *setup, const ss_text *system, const char *key,
                          const ss_matrix *place, ss_point *point)
{
    *point = (ss_point){0};
    SS_TRY(ss_setup_connect(setup, system, &point->local));
    ss_setup_connected(setup, point->local, &point->nq, &point->nu);
    const char *type = ss_setup_connected_type(setup, point->local);
    point->body = ss_setup_connected_body(setup, point->local);
    if (point->body)
        return attach_to_body(setup, key, place, point);
    if (strcmp(type, "point") == 0)
        return attach_to_mass(setup, system->text, key, place, point);
    if (strcmp(type, "planar_body") == 0)
        return attach_to_planar_body(setup, key, place, point);
    return has_no_points(setup, system->text, type);
}

ss_status ss_point_fix(const ss_setup *setup, int dim, const char *key, const ss_matrix *place,
                       ss_point *point)
{
    *point = (ss_point){.local = -1, .dim = dim};
    return ss_read_numbers(setup, key, place, dim, point->p);
}

static bool is_mass(const ss_point *point)
{
    return !point->turns && !point->body;
}

void ss_point_arm(const ss_point *point, const ss_at *at, double *arm)
{
    memset(arm, 0, (size_t)point->dim * sizeof *arm);
    if (point->turns) {
        double c = cos(at->q[point->local][2]), s = sin(at->q[point->local][2]);
        arm[0] = c * point->p[0] - s * point->p[1];
        arm[1] = s * point->p[0] + c * point->p[1];
    } else if (point->body) {
        const double *p = point->p, *origin = point->body->origin;
        double A[9], r[3] = {p[0] + origin[0], p[1] + origin[1], p[2] + origin[2]};
        ss_body_rotation(at->q[point->local] + 3, A);
        ss_turn(A, r, arm);
    }
}

void ss_point_position(const ss_point *point, const ss_at *at, double *x)
{
    if (point->local < 0) {
        memcpy(x, point->p, (size_t)point->dim * sizeof *x);
        return;
    }
    if (is_mass(point)) {
        memcpy(x, at->q[point->local], (size_t)point->dim * sizeof *x);
        return;
    }
    ss_point_arm(point, at, x);
    ss_vector_add(point->dim, 1.0, at->q[point->local], x);
}

/* Angular velocity of a body, in space. */
static void spin(const ss_point *point, const ss_at *at, double omega[3])
{
    const double *u = at->u[point->local] + 3;
    memcpy(omega, u, 3 * sizeof *omega);
    if (point->body->frame == SS_FRAME_BODY) {
        double A[9];
        ss_body_rotation(at->q[point->local] + 3, A);
        ss_turn(A, u, omega);
    }
}

void ss_point_velocity(const ss_point *point, const ss_at *at, double *v)
{
    memset(v, 0, (size_t)point->dim * sizeof *v);
    if (point->local < 0)
        return;
    const double *u = at->u[point->local];
    double arm[3], omega[3], turning[3];
    memcpy(v, u, (size_t)point->dim * sizeof *v);
    if (is_mass(point))
        return;
    ss_point_arm(point, at, arm);
    if (point->turns) {
        v[0] -= u[2] * arm[1];
        v[1] += u[2] * arm[0];
    } else if (point->body) {
        spin(point, at, omega);
        ss_cross(omega, arm, turning);
        ss_vector_add(3, 1.0, turning, v);
    }
}

void ss_point_bias(const ss_point *point, const ss_at *at, double *a)
{
    double arm[3], omega[3], turning[3];
    memset(a, 0, (size_t)point->dim * sizeof *a);
    if (is_mass(point))
        return;
    ss_point_arm(point, at, arm);
    if (point->turns) {
        double rate = at->u[point->local][2];
        a[0] = -rate * rate * arm[0];
        a[1] = -rate * rate * arm[1];
        return;
    }
    spin(point, at, omega); /* ω' in space is A times ω' in the body, zero with it */
    ss_cross(omega, arm, turning);
    ss_cross(omega, turning, a);
}

void ss_point_generalized_force_from(const ss_point *point, const ss_at *at, const double *offset,
                                     const double *f, double *w)
{
    if (point->local < 0)
        return;
    for (int i = 0; i < point->dim; i++)
        w[i] += f[i];
    if (is_mass(point))
        return;
    double arm[3], torque[3];
    ss_point_arm(point, at, arm);
    ss_vector_add(point->dim, 1.0, offset, arm);
    if (point->turns) {
        w[2] += arm[0] * f[1] - arm[1] * f[0];
        return;
    }
    ss_cross(arm, f, torque);
    if (point->body->frame == SS_FRAME_BODY) {
        double A[9], own[3];
        ss_body_rotation(at->q[point->local] + 3, A);
        ss_turn_back(A, torque, own);
        memcpy(torque, own, sizeof own);
    }
    ss_vector_add(3, 1.0, torque, w + 3);
}

void ss_point_generalized_force(const ss_point *point, const ss_at *at, const double *f, double *w)
{
    static const double here[3] = {0, 0, 0};
    ss_point_generalized_force_from(point, at, here, f, w);
}
