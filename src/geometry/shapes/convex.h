/* convex.h: two convex things known by their farthest points, whatever they are: their distance or how deep they
 * overlap, and the points where they contact.
 *
 * A convex thing is a core (the farthest points along each direction) and a rounding around it. All functions are
 * deterministic and allocate nothing.
 */
#ifndef SS_GEOMETRY_SHAPES_CONVEX_H
#define SS_GEOMETRY_SHAPES_CONVEX_H

#include <stickslip/shape.h>

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

/* What the core shows along d, in its own frame, by `face`, by sampling, or one point. */
void ss_convex_shows(const ss_convex *of, const double d[3], ss_face *face);
void ss_sampled_face(const ss_convex *of, const double d[3], ss_face *face);
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

#endif
