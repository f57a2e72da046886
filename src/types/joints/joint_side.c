/* joint_side.c: the frame of a joint on each of the two bodies it connects. */
#include "types/joints/joint_side.h"

#include "geometry/geometry.h"
#include "la/small.h"
#include "model/refuse.h"

#include <string.h>

ss_status ss_side_attach(ss_setup *setup, const ss_text *system, ss_joint_side *side)
{
    static const ss_matrix origin;
    *side = (ss_joint_side){.point = {.local = -1, .dim = 3}};
    if (!system->text)
        return SS_OK;
    SS_TRY(ss_point_attach(setup, system, "point", &origin, &side->point));
    if (!side->point.body)
        return ss_refuse(setup, "it connects systems of type body; '%s' is of type '%s'",
                         system->text, ss_setup_connected_type(setup, side->point.local));
    return SS_OK;
}

/* Initial pose: the frame's origin, and A. */
static void start_pose(const ss_setup *setup, const ss_joint_side *side, double x[3], double A[9])
{
    const double *q, *u;
    memset(x, 0, 3 * sizeof *x);
    memcpy(A, ss_pose_here.A, sizeof ss_pose_here.A);
    if (side->point.local < 0)
        return;
    ss_setup_connected_initial(setup, side->point.local, &q, &u);
    memcpy(x, q, 3 * sizeof *x);
    ss_body_rotation(q + 3, A);
}

void ss_side_anchor(const ss_setup *setup, const double x[3], ss_joint_side *side)
{
    double origin[3], A[9], r[3];
    start_pose(setup, side, origin, A);
    for (int i = 0; i < 3; i++)
        r[i] = x[i] - origin[i];
    ss_turn_back(A, r, side->point.p);
}

void ss_side_axes(const ss_setup *setup, double d[3][3], ss_joint_side *side)
{
    double origin[3], A[9];
    start_pose(setup, side, origin, A);
    for (int k = 0; k < 3; k++)
        ss_turn_back(A, d[k], side->d[k]);
}

void ss_side_start(const ss_setup *setup, const ss_joint_side *side, double x[3])
{
    double origin[3], A[9];
    start_pose(setup, side, origin, A);
    ss_turn(A, side->point.p, x);
    ss_axpy(3, 1.0, origin, x);
}

ss_joint_side_at ss_side_evaluate(const ss_joint_side *side, const ss_at *at)
{
    ss_joint_side_at now;
    ss_point_position(&side->point, at, now.x);
    if (side->point.local < 0) {
        memcpy(now.d, side->d, sizeof now.d);
        return now;
    }
    double A[9];
    ss_body_rotation(at->q[side->point.local] + 3, A);
    for (int k = 0; k < 3; k++)
        ss_turn(A, side->d[k], now.d[k]);
    return now;
}

void ss_side_twist(const ss_joint_side *side, const ss_at *at, double sign, const double n[3],
                   double *const *W, int row)
{
    const ss_point *point = &side->point;
    if (point->local < 0)
        return;
    double own[3];
    ss_body_from_space(point->body, at->q[point->local] + 3, n, own);
    ss_axpy(3, sign, own, W[point->local] + row * point->nu + 3);
}

void ss_side_apply_force(const ss_joint_side *side, const ss_at *at, const double offset[3],
                         double sign, const double f[3], double *const *W, int row)
{
    const ss_point *point = &side->point;
    double signed_f[3] = {sign * f[0], sign * f[1], sign * f[2]};
    if (point->local >= 0)
        ss_point_generalized_force_from(point, at, offset, signed_f,
                                        W[point->local] + row * point->nu);
}
