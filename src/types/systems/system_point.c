/* system_point.c: a point mass on a line, in the plane or in space. */
#include "geometry/geometry.h"
#include "types/types.h"

#include <float.h>
#include <math.h>

static const ss_key keys[] = {
    {"dim", SS_KEY_INT, offsetof(ss_point_mass, dim), NULL, 1, 3, NULL, "",
     "Dimensions of its space: 1 (coordinate x), 2 (x, y) or 3 (x, y, z)."},
    {"mass", SS_KEY_REAL, offsetof(ss_point_mass, mass), NULL, DBL_MIN, INFINITY, NULL, "kg",
     "Mass."},
    {.name = NULL},
};

static ss_status init(void *self, ss_setup *setup)
{
    static const char *const names[] = {"x", "y", "z"};
    const ss_point_mass *point = self;
    ss_setup_constant_mass(setup);
    return ss_setup_coordinates(setup, point->dim, names);
}

static ss_status mass(const void *self, const ss_at *at, double *M)
{
    const ss_point_mass *point = self;
    (void)at;
    for (int i = 0; i < point->dim; i++)
        for (int j = 0; j < point->dim; j++)
            M[i * point->dim + j] = i == j ? point->mass : 0.0;
    return SS_OK;
}

static void pose(const void *self, const ss_at *at, int frame, ss_pose *pose)
{
    (void)frame;
    const ss_point_mass *point = self;
    *pose = ss_pose_here;
    for (int i = 0; i < point->dim; i++)
        pose->x[i] = at->q[0][i];
}

static void twist(const void *self, const ss_at *at, int frame, double *V)
{
    (void)frame;
    const ss_point_mass *point = self;
    (void)at;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < point->dim; j++)
            V[i * point->dim + j] = i == j ? 1.0 : 0.0;
}

const ss_system_ops ss_point_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "point",
             "A point mass on a line, in the plane or in space.", sizeof(ss_point_mass), keys},
    .init = init,
    .mass = mass,
    .pose = pose,
    .twist = twist,
};
