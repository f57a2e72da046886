/* manifold.h: the points where two faces contact. */
#ifndef SS_GEOMETRY_PAIRS_MANIFOLD_H
#define SS_GEOMETRY_PAIRS_MANIFOLD_H

#include "geometry/shapes/convex.h"

/* Two faces (corners in space, relative to any common origin) that meet along the unit normal n, from a to b. Gives
 * the corners of what they have in common seen along n, with the gap along n that they have there, as far as it is
 * below `margin`; reduced to at most four. Corners that coincide to 1e-7 of the faces' size are one. */
int ss_manifold(const ss_face *a, const ss_face *b, const double n[3], double margin,
                ss_contact_point contacts[SS_CONTACT_POINTS_MAX]);

enum { SS_POOL_MAX = 4 * SS_FACE_MAX };

/* The same without the reduction; *size is that of the smaller face. */
int ss_manifold_all(const ss_face *a, const ss_face *b, const double n[3], double margin,
                    ss_contact_point all[SS_POOL_MAX], double *size);

/* Keeps at most four of the points: the deepest, the one farthest from it, and those that make the largest area.
 * `length`: differences below 1e-7 of it do not count, the earlier point is taken. Returns their number. */
int ss_reduce(int count, ss_contact_point *contacts, const double n[3], double length);

#endif
