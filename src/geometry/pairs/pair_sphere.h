/* pair_sphere.h: what all pairs with a sphere have in common. */
#ifndef SS_GEOMETRY_PAIRS_PAIR_SPHERE_H
#define SS_GEOMETRY_PAIRS_PAIR_SPHERE_H

#include "geometry/geometry.h"

/* Where the centre of the sphere is in the other's frame. */
void ss_sphere_centre(const ss_pose *pose, const ss_pose *sphere, double c[3]);

/* Gives the contact of a sphere (first) and another shape when it is within the margin. p: the other's point nearest to
 * the centre, m: outward unit normal there, distance: of the centre, negative inside; all in the other's frame. */
void ss_sphere_send(const ss_sphere *sphere, const ss_pose *pose_a, const ss_pose *pose_b,
                    const double p[3], const double m[3], double distance, double margin,
                    ss_contact_point_fn receive, void *user);

#endif
