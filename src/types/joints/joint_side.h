/* joint_side.h: the frame of a joint on each of the two bodies it connects. */
#ifndef SS_TYPES_JOINTS_JOINT_SIDE_H
#define SS_TYPES_JOINTS_JOINT_SIDE_H

#include "types/points.h"

/* An anchor and three axes, fixed to a body or in space. */
typedef struct ss_joint_side {
    ss_point point;
    double d[3][3]; /* in the axes of the body, or in space */
} ss_joint_side;

/* Where they are now, in space. */
typedef struct ss_joint_side_at {
    double x[3];
    double d[3][3];
} ss_joint_side_at;

/* Contacts a body; the anchor is at its frame's origin. text NULL: fixed in space. */
ss_status ss_side_attach(ss_setup *setup, const ss_text *system, ss_joint_side *side);
/* Puts the anchor, or an axis, where it is in space in the initial configuration. */
void ss_side_anchor(const ss_setup *setup, const double x[3], ss_joint_side *side);
void ss_side_axes(const ss_setup *setup, double d[3][3], ss_joint_side *side);
/* Where the anchor is in the initial configuration. */
void ss_side_start(const ss_setup *setup, const ss_joint_side *side, double x[3]);
ss_joint_side_at ss_side_evaluate(const ss_joint_side *side, const ss_at *at);

/* w += the generalized force of a torque n in space, or the row of W of nᵀω. */
void ss_side_twist(const ss_joint_side *side, const ss_at *at, double sign, const double n[3],
                   double *const *W, int row);
/* w += that of a force f at the point now at `offset` from the anchor, or the row of W of fᵀv. */
void ss_side_apply_force(const ss_joint_side *side, const ss_at *at, const double offset[3],
                         double sign, const double f[3], double *const *W, int row);

#endif
