/* system_planar_body.c: a rigid body in the plane. */
#include "types/types.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const ss_key keys[] = {
    {"mass", SS_KEY_REAL, offsetof(ss_planar_body, mass), NULL, DBL_MIN, INFINITY, NULL, "kg",
     "Mass."},
    {"inertia", SS_KEY_REAL, offsetof(ss_planar_body, inertia), NULL, DBL_MIN, INFINITY, NULL,
     "kg m^2", "Moment of inertia about the centre of mass."},
    {.name = NULL},
};

static ss_status init(void *self, ss_setup *setup)
{
    static const char *const names[] = {"x", "y", "phi"};
    (void)self;
    ss_setup_constant_mass(setup);
    return ss_setup_coordinates(setup, 3, names);
}

static ss_status mass(const void *self, const ss_at *at, double *M)
{
    const ss_planar_body *body = self;
    (void)at;
    memset(M, 0, 9 * sizeof *M);
    M[0] = M[4] = body->mass;
    M[8] = body->inertia;
    return SS_OK;
}

static void pose(const void *self, const ss_at *at, int frame, ss_pose *pose)
{
    (void)frame;
    const double *q = at->q[0];
    double c = cos(q[2]), s = sin(q[2]);
    (void)self;
    *pose = (ss_pose){.x = {q[0], q[1], 0}, .A = {c, -s, 0, s, c, 0, 0, 0, 1}};
}

/* x', y' and phi' are v_x, v_y and ω_z. */
static void twist(const void *self, const ss_at *at, int frame, double *V)
{
    (void)frame;
    (void)self, (void)at;
    memset(V, 0, 18 * sizeof *V);
    V[0] = V[4] = V[17] = 1;
}

const ss_system_ops ss_planar_body_ops = {
    .type = {SS_ABI, sizeof(ss_system_ops), "planar_body",
             "A rigid body in the plane: its centre of mass x, y and its angle phi.",
             sizeof(ss_planar_body), keys},
    .init = init,
    .mass = mass,
    .pose = pose,
    .twist = twist,
};
