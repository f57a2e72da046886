/* rotation.h: rotations and inertia as scenes give them. */
#ifndef SS_TYPES_ROTATION_H
#define SS_TYPES_ROTATION_H

#include <stickslip/model.h>

/* The quaternion of a turn by an angle (rad) about a unit vector. */
void ss_axis_angle(const double n[3], double angle, double e[4]);
/* From an axis of any length and an angle: four numbers. */
ss_status ss_read_axis_angle(const ss_setup *setup, const char *key, const ss_matrix *given,
                             double e[4]);
/* From yaw about z, pitch about the new y, roll about the newest x. */
ss_status ss_read_yaw_pitch_roll(const ss_setup *setup, const char *key, const ss_matrix *given,
                                 double e[4]);
/* A tensor (kg m², by rows) from 1, 3, 6 or 9 numbers, which must be symmetric. */
ss_status ss_read_inertia(const ss_setup *setup, const ss_matrix *given, double J[9]);

#endif
