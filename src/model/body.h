/* body.h: a rigid body in space, as the model and the contacts see it.
 *
 *   q = (x, y, z, e0, e1, e2, e3): centre of mass and Euler parameters
 *   u = (x', y', z', wx, wy, wz): its velocity and the angular velocity, in space or in the body's own axes
 *
 * A point p of the body, in its axes and seen from the centre of mass, is at x + A(e) p. A force f in space at
 * r = A p from the centre of mass is the generalized force (f, r × f), or (f, Aᵀ(r × f)) when the angular
 * velocity is in the body's axes.
 */
#ifndef SS_MODEL_BODY_H
#define SS_MODEL_BODY_H

#include "geometry/vector.h"

#include <stickslip/model.h>

#include <math.h>

enum { SS_BODY_NQ = 7, SS_BODY_NU = 6 };

typedef enum ss_body_frame {
    SS_FRAME_INERTIAL = 0, /* angular velocity in space */
    SS_FRAME_BODY = 1,     /* in the axes of the body */
} ss_body_frame;

/* First member of `self` of systems that declare themselves bodies (ss_setup_body). */
typedef struct ss_body {
    /* What every step asks for comes first, in one line of the cache. */
    double mass;                /* kg */
    int frame;                  /* ss_body_frame */
    bool still;                 /* fixed or driven: infinite mass */
    bool round;                 /* J is a multiple of the unit matrix */
    bool has_mass, has_inertia; /* given, so that solids do not count for it */
    double Jinv[9];             /* after sealing */
    double J[9];  /* inertia about the centre of mass in the body's axes, kg m², by rows */
    double solid; /* mass of the solids it carries, kg */
    double origin
        [3]; /* origin of the frame in which points are given, seen from the centre of mass, m */
} ss_body;

/* What a system is that has mass and points to which springs and joints can be fixed. */
typedef enum ss_mass_kind {
    SS_MASS_NONE,        /* none of these */
    SS_MASS_POINT,       /* q is the point itself */
    SS_MASS_PLANAR_BODY, /* q = (x, y, phi) */
    SS_MASS_BODY,        /* an ss_body */
    SS_MASS_TREE,        /* links, frames of a tree (types/systems/tree.h) */
} ss_mass_kind;

typedef struct ss_mass {
    ss_mass_kind kind;
    int dim;            /* of its space */
    const double *mass; /* kg; a body may learn it as late as it is sealed */
} ss_mass;

/* Declares it of the system that is being set up; asks for it of a connected system. */
void ss_setup_mass(ss_setup *setup, ss_mass mass);
ss_mass ss_setup_connected_mass(const ss_setup *setup, int local);

/* Makes the system that is being set up a body; `body` is part of its self. */
void ss_setup_body(ss_setup *setup, ss_body *body);
/* The body behind a connected system, or NULL. */
const ss_body *ss_setup_connected_body(const ss_setup *setup, int local);

/* Before sealing: the body carries a solid of this mass (kg), with its centre (m) in the frame in which
 * points are given and its inertia about that centre (kg m², by rows) in the body's axes. */
void ss_body_add_solid(ss_body *body, double mass, const double centre[3], const double inertia[9]);

/* A by rows, a rotation for e of any length. The entry (2,1) of S7.10 is misprinted. */
static inline void ss_body_rotation(const double e[4], double A[9])
{
    double s = 2.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    double x = s * e[1], y = s * e[2], z = s * e[3];
    double wx = x * e[0], wy = y * e[0], wz = z * e[0];
    double xx = x * e[1], xy = x * e[2], xz = x * e[3];
    double yy = y * e[2], yz = y * e[3], zz = z * e[3];
    A[0] = 1.0 - (yy + zz), A[1] = xy - wz, A[2] = xz + wy;
    A[3] = xy + wz, A[4] = 1.0 - (xx + zz), A[5] = yz - wx;
    A[6] = xz - wy, A[7] = yz + wx, A[8] = 1.0 - (xx + yy);
}

/* y = A x */
static inline void ss_turn(const double A[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

/* y = Aᵀ x */
static inline void ss_turn_back(const double A[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

/* y = x turned from the frame of a body's angular velocity into space, or back. */
static inline void ss_body_turn(const ss_body *body, const double e[4], bool into_space,
                                const double x[3], double y[3])
{
    double A[9];
    y[0] = x[0], y[1] = x[1], y[2] = x[2];
    if (body->frame != SS_FRAME_BODY)
        return;
    ss_body_rotation(e, A);
    if (into_space)
        ss_turn(A, x, y);
    else
        ss_turn_back(A, x, y);
}

/* c = a ∘ b, quaternions: the rotation b, then a. */
static inline void ss_quaternion_product(const double a[4], const double b[4], double c[4])
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
    c[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

/* e' = F ω of the Euler parameters, 4 × 3 by rows: e' = ω ∘ e / 2 in space, e ∘ ω / 2 in the body's
 * axes. Fᵀ F = |e|²/4. */
static inline void ss_body_rates(const ss_body *body, const double e[4], double F[12])
{
    double a = 0.5 * e[0], x = 0.5 * e[1], y = 0.5 * e[2], z = 0.5 * e[3];
    double s = body->frame == SS_FRAME_BODY ? -1.0 : 1.0;
    F[0] = -x, F[1] = -y, F[2] = -z;
    F[3] = a, F[4] = s * z, F[5] = -s * y;
    F[6] = -s * z, F[7] = a, F[8] = s * x;
    F[9] = s * y, F[10] = -s * x, F[11] = a;
}

/* θ = T δe: the small turn, in the frame of the angular velocity, that a change of e makes; 3 × 4 by rows. */
static inline void ss_body_turns(const ss_body *body, const double e[4], double T[12])
{
    double F[12], s = 4.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    ss_body_rates(body, e, F);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            T[4 * i + j] = s * F[3 * j + i];
}

#endif
