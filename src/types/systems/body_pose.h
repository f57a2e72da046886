/* body_pose.h: rotations as users give them. */
#ifndef SS_TYPES_SYSTEMS_BODY_POSE_H
#define SS_TYPES_SYSTEMS_BODY_POSE_H

#include "model/body.h"

/* A unit vector from three numbers of any length. */
ss_status ss_read_direction(const ss_setup *setup, const char *key, const ss_matrix *given,
                            double n[3]);

/* The quaternion of a turn by an angle about a unit vector. */
void ss_axis_angle(const double n[3], double angle, double e[4]);
/* From an axis of any length and an angle: four numbers. */
ss_status ss_read_axis_angle(const ss_setup *setup, const char *key, const ss_matrix *given,
                             double e[4]);
/* From yaw about z, pitch about the new y, roll about the newest x. */
ss_status ss_read_yaw_pitch_roll(const ss_setup *setup, const char *key, const ss_matrix *given,
                                 double e[4]);

/* θ = T δe: the small turn, in the frame of the angular velocity, that a change of e makes; 3 × 4 by rows. */
void ss_body_turns(const ss_body *body, const double e[4], double T[12]);

#endif
