/* convex.h: two convex things known by their farthest points, whatever they are: their distance or how deep they
 * overlap, and the points where they contact.
 *
 * A convex thing is a core (the farthest points along each direction) and a rounding around it. All functions are
 * deterministic and allocate nothing.
 */
#ifndef SS_GEOMETRY_PAIRS_CONVEX_H
#define SS_GEOMETRY_PAIRS_CONVEX_H

#include "geometry/geometry.h"

typedef struct ss_convex {
    const void *self;
    const ss_pose *pose;
    /* The point of the core farthest along d (any length), in its own frame. */
    void (*support)(const void *self, const double d[3], double p[3]);
    /* What the core shows along d, in its own frame; NULL: a smooth point everywhere, or `sampled`. */
    void (*face)(const void *self, const double d[3], ss_face *face);
    double radius; /* rounding around the core, m */
    bool sampled;  /* no `face`, but farthest points around d may show a flat one */
} ss_convex;

/* The same along d of space, relative to the origin of its frame. */
static inline void ss_convex_support(const ss_convex *of, const double d[3], double p[3])
{
    double inside[3];
    ss_pose_rotate_back(of->pose, d, inside);
    of->support(of->self, inside, p);
    ss_pose_rotate(of->pose, p, p);
}

/* What the core shows along d, in its own frame, by `face`, by sampling, or one point. */
void ss_convex_shows(const ss_convex *of, const double d[3], ss_face *face);
/* The same along n of space, relative to `origin`. */
void ss_convex_face(const ss_convex *of, const double n[3], const double origin[3], ss_face *face);

/* The signed distance of two convex things: the pair of points that is closest or, when they overlap, the shortest
 * way apart. false: farther apart than `margin`; nothing is written then. contact->feature is 0. */
bool ss_convex_distance(const ss_convex *a, const ss_convex *b, double margin,
                        ss_contact_point *contact);

/* All the points where they contact, reduced to at most four: where flat faces or edges meet, the corners of what
 * they have in common, with one normal. Returns their number. */
int ss_convex_collide(const ss_convex *a, const ss_convex *b, double margin,
                      ss_contact_point contacts[SS_CONTACT_POINTS_MAX]);

/* A triangle by its corners, as a convex thing's `self`. */
typedef struct ss_triangle {
    double corners[3][3];
} ss_triangle;
void ss_triangle_support(const void *self, const double d[3], double p[3]);
void ss_triangle_face(const void *self, const double d[3], ss_face *face);

/* The convex thing of a shape that has `support`. */
ss_convex ss_shape_convex(const ss_shape *shape, const ss_pose *pose);

/* ---- Contact points (manifold.c) ---- */

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

static inline double ss_least_gap(int count, const ss_contact_point *points)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least, points[i].gap);
    return least;
}

/* Sends those that are within the margin. */
static inline void ss_pair_send_near(const ss_shape_pair *pair, int count,
                                     const ss_contact_point *points)
{
    for (int i = 0; i < count; i++)
        if (points[i].gap < pair->margin)
            ss_pair_send(pair, &points[i]);
}

/* ---- Planes (pair_plane.c) ---- */

/* The contact of a plane with a point of another shape's core, rounded off. */
ss_contact_point ss_plane_contact(const ss_pose *plane, const ss_convex *of, const double point[3],
                                  uint32_t feature);

/* Point k of the rims of a cylinder: 2i of the lower, 2i + 1 of the upper one; i = 0 is the point farthest along `down`, the
 * others are half a turn and a quarter turn to either side from there. A cylinder that stands upright to 1e-6 has no lowest point
 * that could be told: the x axis of its frame decides. */
enum { SS_RIM_POINTS = 4 };
void ss_cylinder_rim(const ss_cylinder *c, const double down[3], int k, double p[3]);

#endif
