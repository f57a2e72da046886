/* shape.h: shapes of bodies, and where two of them contact.
 *
 * A shape is pure geometry in its own frame; a pose puts it into space. The contact layer knows nothing of
 * systems, laws or time: given shapes and poses it finds the pairs that are near (broad phase) and, for
 * each pair, a few points where they contact or nearly contact (narrow phase).
 */
#ifndef STICKSLIP_SHAPE_H
#define STICKSLIP_SHAPE_H

#include <stickslip/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a frame is: a point p of it is at x + A p in space. */
typedef struct ss_pose {
    double x[3]; /* m */
    double A[9]; /* rotation by rows, from the frame into space */
} ss_pose;

/* An axis-parallel box in space; sides may be infinite. */
typedef struct ss_bounds {
    double low[3], high[3]; /* m */
} ss_bounds;

/* Mass, centre and inertia of a shape filled with unit density, in its own frame. */
typedef struct ss_solid {
    double volume;     /* m³; 0: it has none (plane, open mesh, height field) */
    double centre[3];  /* m */
    double inertia[9]; /* about the centre, m⁵, by rows */
} ss_solid;

/* Triangles that draw a shape (and are its surface, for a mesh). */
typedef struct ss_triangles {
    int n_points, n_triangles;
    double *points; /* 3 each, m */
    int *corners;   /* 3 each, counter-clockwise seen from outside */
} ss_triangles;

enum {
    SS_FACE_MAX = 32
}; /* corners of a face at most; a face that has more is given by some of them */

/* The part of a convex shape that is farthest in a direction: a corner or a smooth point (1), an edge (2), or a flat
 * face (3 and more corners, in order around it, counter-clockwise seen from outside). */
typedef struct ss_face {
    int count;
    double points[SS_FACE_MAX][3];
    uint32_t ids[SS_FACE_MAX]; /* of the corners, below 2^12, the same whatever the direction */
    double normal[3];          /* outward unit normal; three and more corners only */
    double rim; /* the corners stand for a disk around z of this radius; 0: they do not */
} ss_face;

/* A point where two shapes contact or nearly contact. */
typedef struct ss_contact_point {
    double gap;  /* m, along n; negative when they overlap */
    double n[3]; /* unit normal, from the first shape to the second */
    double a[3]; /* point on the first shape's surface, in space, m */
    double b[3]; /* point on the second's: b - a = gap n */
    uint32_t
        feature; /* tells the points of a pair apart, the same from step to step (warm starting) */
} ss_contact_point;

enum {
    SS_CONTACT_POINTS_MAX = 8
}; /* points of one pair of convex shapes at most; meshes may have more, see below */

/* Where a shape is made. */
typedef struct ss_shape_setup {
    const char *owner;     /* "shape 'ball'", for messages */
    ss_location where;     /* for messages */
    const char *directory; /* where relative names of files begin; NULL: here */
    const ss_scope *scope; /* parameters that formulas may use; NULL: none */
    bool confined;         /* files must be in the directory or below it */
} ss_shape_setup;

/* What a shape is. All but the first are the library's own: it reads their parameters, and no other type may
 * claim them. */
typedef enum ss_shape_kind {
    SS_SHAPE_OTHER, /* known by its functions alone */
    SS_SHAPE_SPHERE,
    SS_SHAPE_PLANE,
    SS_SHAPE_BOX,
    SS_SHAPE_CAPSULE,
    SS_SHAPE_CYLINDER,
    SS_SHAPE_ELLIPSOID,
    SS_SHAPE_HULL,
    SS_SHAPE_MESH,
    SS_SHAPE_HEIGHT_FIELD,
} ss_shape_kind;

/* Shapes are types like all others: registered by name, filled from keys. */
typedef struct ss_shape_ops {
    ss_type type;       /* type.size = sizeof(ss_shape_ops) */
    ss_shape_kind kind; /* SS_SHAPE_OTHER for a user's own */
    /* Checks parameters, computes what it needs (reads a mesh, makes a hull). Optional. */
    ss_status (*init)(void *self, ss_context *context, const ss_shape_setup *setup);
    void (*destroy)(void *self, ss_context *context); /* optional */
    /* The box around the shape. Required. */
    void (*bounds)(const void *self, const ss_pose *pose, ss_bounds *box);
    /* Convex shapes: the point of the shape farthest along d (any length), in the shape's frame. A convex shape
     * needs no more than this to contact every other one; `radius` is a rounding around these points, the core. */
    void (*support)(const void *self, const double d[3], double p[3]);
    double (*radius)(const void *self); /* optional: 0 */
    /* Volume, centre, inertia. Optional: none. */
    void (*solid)(const void *self, ss_solid *solid);
    /* Triangles for drawing and export; memory by ss_triangles_allocate, released by the caller. Required. */
    ss_status (*triangles)(const void *self, ss_context *context, ss_triangles *triangles);
    /* Convex shapes with edges or flat faces: the corner, edge or face that is farthest along d, without rounding, in
     * the shape's frame; `rim` and `normal` are zero before. Near the normal of a face the whole face should be given,
     * so that a box that tilts a little rests on four corners. Optional: flat faces are found by calls of `support`
     * around d, edges are not. */
    void (*face)(const void *self, const double d[3], ss_face *face);
    /* Convex shapes: a single point is farthest along each direction (a lens, an ellipsoid; the core of a sphere). Then
     * two shapes meet in one point, which exact simulations can follow. Instead of `face`. */
    bool strictly_convex;
} ss_shape_ops;

SS_API ss_status ss_register_shape(ss_context *context, const ss_shape_ops *ops);

/* Memory for the triangles of a shape. On failure nothing is held. */
SS_API ss_status ss_triangles_allocate(ss_context *context, int n_points, int n_triangles,
                                       ss_triangles *triangles);
/* The surface of revolution around z of `rings` circles, closed by a pole on the axis at each end. profile: radius and
 * height of each circle, from below. */
SS_API ss_status ss_triangles_revolve(ss_context *context, int rings, const double *profile,
                                      double bottom, double top, ss_triangles *triangles);

typedef struct ss_shape {
    const ss_shape_ops *ops;
    void *self;
} ss_shape;

/* args and scope may be NULL. */
SS_API ss_status ss_shape_create(ss_context *context, const char *name, const ss_args *args,
                                 const ss_scope *scope, const char *directory, ss_shape **shape);
SS_API void ss_shape_destroy(ss_shape *shape);

/* Receives contacts: one call for each point. */
typedef void (*ss_contact_point_fn)(void *user, const ss_contact_point *contact);

/* All points where two shapes are closer than `margin` (m, >= 0), reduced to those that matter. Deterministic; the
 * same points with n reversed when the shapes are exchanged. No allocation. Kinds of shape that cannot meet (plane
 * with plane) have no contact. */
SS_API void ss_shapes_collide(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                              const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                              void *user);

/* The broad phase: pairs of boxes that overlap, at a cost linear in the boxes. Keeps its memory from call to
 * call, so that a step allocates nothing after the first ones. */
typedef struct ss_broad ss_broad;
typedef struct ss_near {
    int a, b; /* boxes, a < b */
} ss_near;

SS_API ss_status ss_broad_create(ss_context *context, ss_broad **broad);
SS_API void ss_broad_destroy(ss_broad *broad);
/* Pairs with different `group` (the body a shape belongs to; two shapes of group -1, of the fixed world, are
 * never paired) in ascending order of (a, b), whatever the number of threads. *near stays valid until the next
 * call. */
SS_API ss_status ss_broad_pairs(ss_broad *broad, int n, const ss_bounds *boxes, const int *group,
                                const ss_near **near, int *count);

#ifdef __cplusplus
}
#endif
#endif
