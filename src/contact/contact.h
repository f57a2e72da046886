/* contact.h: inside of the contact layer: the built-in shapes and the table of pairs. */
#ifndef SS_CONTACT_CONTACT_H
#define SS_CONTACT_CONTACT_H

#include <stickslip/shape.h>

extern const ss_shape_ops ss_shape_type_sphere, ss_shape_type_plane;

/* What the functions of built-in shapes know of each other. */
typedef struct ss_sphere {
    double radius; /* m */
} ss_sphere;

/* Finds the touches of two shapes whose types are those of its line in the table (touch.c). */
typedef void (*ss_pair_fn)(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                           const ss_pose *pose_b, double margin, ss_touch_fn receive, void *user);

/* p = x + A p', and the rotation alone, forth and back. */
static inline void ss_pose_rotate(const ss_pose *pose, const double v[3], double w[3])
{
    const double *A = pose->A;
    for (int i = 0; i < 3; i++)
        w[i] = A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2];
}

static inline void ss_pose_rotate_back(const ss_pose *pose, const double v[3], double w[3])
{
    const double *A = pose->A;
    for (int i = 0; i < 3; i++)
        w[i] = A[i] * v[0] + A[3 + i] * v[1] + A[6 + i] * v[2];
}

static inline void ss_pose_point(const ss_pose *pose, const double p[3], double x[3])
{
    ss_pose_rotate(pose, p, x);
    for (int i = 0; i < 3; i++)
        x[i] += pose->x[i];
}

#endif
