/* point_turning.c: how a point depends on the turning of its body, for derivatives of forces. */
#include "geometry/geometry.h"
#include "types/points.h"
#include "types/systems/body_pose.h"
#include "types/vectors.h"

#include <string.h>

/* The directions, in space, that the angular velocities of a body belong to. */
static void axes(const ss_point *point, const ss_at *at, double A[9])
{
    if (point->body->frame == SS_FRAME_BODY)
        ss_body_rotation(at->q[point->local] + 3, A);
    else
        memcpy(A, ss_pose_here.A, sizeof ss_pose_here.A);
}

void ss_point_jacobian(const ss_point *point, const ss_at *at, double *J)
{
    for (int i = 0; i < point->dim; i++) {
        double f[3] = {i == 0, i == 1, i == 2};
        memset(J + i * point->nu, 0, (size_t)point->nu * sizeof *J);
        ss_point_generalized_force(point, at, f, J + i * point->nu);
    }
}

static void planar_turning(const ss_point *point, const ss_at *at, const double *f, double *dv,
                           double *dw)
{
    double arm[2], omega = at->u[point->local][2];
    ss_point_arm(point, at, arm);
    dv[0] = -omega * arm[0];
    dv[1] = -omega * arm[1];
    *dw = -(arm[0] * f[0] + arm[1] * f[1]);
}

void ss_point_turning(const ss_point *point, const ss_at *at, const double *f, double *dv,
                      double *dw)
{
    if (point->turns)
        planar_turning(point, at, f, dv, dw);
    if (!point->body)
        return;
    bool own = point->body->frame == SS_FRAME_BODY;
    double A[9], arm[3], turning[3];
    axes(point, at, A);
    ss_point_arm(point, at, arm);
    ss_point_velocity(point, at, turning);
    ss_vector_add(3, -1.0, at->u[point->local], turning); /* ω × r */
    for (int j = 0; j < 3; j++) {
        double theta[3] = {A[j], A[3 + j], A[6 + j]}, moved[3], column[3], torque[3];
        if (own) { /* ω and the axes of the torque turn too */
            ss_cross(theta, turning, column);
            ss_cross(f, theta, moved);
            ss_cross(arm, moved, torque);
        } else {
            ss_cross(theta, arm, moved);
            ss_cross(at->u[point->local] + 3, moved, column);
            ss_cross(moved, f, torque);
        }
        for (int i = 0; i < 3; i++) {
            dv[3 * i + j] = column[i];
            dw[3 * i + j] = A[i] * torque[0] + A[3 + i] * torque[1] + A[6 + i] * torque[2];
        }
    }
}

void ss_point_to_q(const ss_point *point, const ss_at *at, int rows, const double *by_turn,
                   double *by_q)
{
    int nq = point->nq, nu = point->nu;
    double T[12];
    if (point->body)
        ss_body_turns(point->body, at->q[point->local] + 3, T);
    for (int i = 0; i < rows; i++) {
        const double *from = by_turn + i * nu;
        double *to = by_q + i * nq;
        ss_vector_add(point->body ? 3 : nu, 1.0, from, to);
        for (int k = 0; point->body && k < 3; k++)
            ss_vector_add(4, from[3 + k], T + 4 * k, to + 3);
    }
}
