/* system_point.c: a point mass on a line, in the plane or in space; a rigid body in the plane. */
#include "geometry/geometry.h"
#include "la/elementary.h"
#include "model/body.h"
#include "types/types.h"

#include <float.h>
#include <string.h>

/* ---- A point mass ---- */

typedef struct point_mass {
    int dim;     /* 1, 2, 3 */
    double mass; /* kg */
} point_mass;

static const ss_key point_keys[] = {
    {"dim", SS_KEY_INT, offsetof(point_mass, dim), NULL, 1, 3, NULL, "",
     "Dimensions of its space: 1 (coordinate x), 2 (x, y) or 3 (x, y, z)."},
    {"mass", SS_KEY_REAL, offsetof(point_mass, mass), NULL, DBL_MIN, INFINITY, NULL, "kg", "Mass."},
    {.name = NULL},
};

static ss_status point_init(void *self, ss_setup *setup)
{
    static const char *const names[] = {"x", "y", "z"};
    const point_mass *point = self;
    ss_setup_constant_mass(setup);
    ss_setup_mass(setup, (ss_mass){SS_MASS_POINT, point->dim, &point->mass});
    return ss_setup_coordinates(setup, point->dim, names);
}

static ss_status point_matrix(const void *self, const ss_at *at, double *M)
{
    const point_mass *point = self;
    (void)at;
    for (int i = 0; i < point->dim; i++)
        for (int j = 0; j < point->dim; j++)
            M[i * point->dim + j] = i == j ? point->mass : 0.0;
    return SS_OK;
}

static void point_pose(const void *self, const ss_at *at, int frame, ss_pose *pose)
{
    const point_mass *point = self;
    (void)frame;
    *pose = ss_pose_here;
    for (int i = 0; i < point->dim; i++)
        pose->x[i] = at->q[0][i];
}

static void point_twist(const void *self, const ss_at *at, int frame, double *V)
{
    const point_mass *point = self;
    (void)at, (void)frame;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < point->dim; j++)
            V[i * point->dim + j] = i == j ? 1.0 : 0.0;
}

const ss_system_ops ss_point_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "point",
             "A point mass on a line, in the plane or in space.", sizeof(point_mass), point_keys},
    .init = point_init,
    .mass = point_matrix,
    .pose = point_pose,
    .twist = point_twist,
};

/* ---- A rigid body in the plane: x, y of its centre of mass and its angle phi ---- */

typedef struct planar_body {
    double mass;    /* kg */
    double inertia; /* kg m², about the centre of mass */
} planar_body;

static const ss_key body_keys[] = {
    {"mass", SS_KEY_REAL, offsetof(planar_body, mass), NULL, DBL_MIN, INFINITY, NULL, "kg",
     "Mass."},
    {"inertia", SS_KEY_REAL, offsetof(planar_body, inertia), NULL, DBL_MIN, INFINITY, NULL,
     "kg m^2", "Moment of inertia about the centre of mass."},
    {.name = NULL},
};

static ss_status body_init(void *self, ss_setup *setup)
{
    static const char *const names[] = {"x", "y", "phi"};
    const planar_body *body = self;
    ss_setup_constant_mass(setup);
    ss_setup_mass(setup, (ss_mass){SS_MASS_PLANAR_BODY, 2, &body->mass});
    return ss_setup_coordinates(setup, 3, names);
}

static ss_status body_matrix(const void *self, const ss_at *at, double *M)
{
    const planar_body *body = self;
    (void)at;
    memset(M, 0, 9 * sizeof *M);
    M[0] = M[4] = body->mass;
    M[8] = body->inertia;
    return SS_OK;
}

static void body_pose(const void *self, const ss_at *at, int frame, ss_pose *pose)
{
    (void)self, (void)frame;
    const double *q = at->q[0];
    double c = ss_cos(q[2]), s = ss_sin(q[2]);
    *pose = (ss_pose){.x = {q[0], q[1], 0}, .A = {c, -s, 0, s, c, 0, 0, 0, 1}};
}

/* x', y' and phi' are v_x, v_y and ω_z. */
static void body_twist(const void *self, const ss_at *at, int frame, double *V)
{
    (void)self, (void)at, (void)frame;
    memset(V, 0, 18 * sizeof *V);
    V[0] = V[4] = V[17] = 1;
}

const ss_system_ops ss_planar_body_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "planar_body",
             "A rigid body in the plane: its centre of mass x, y and its angle phi.",
             sizeof(planar_body), body_keys},
    .init = body_init,
    .mass = body_matrix,
    .pose = body_pose,
    .twist = body_twist,
};
