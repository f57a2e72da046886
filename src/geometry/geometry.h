/* geometry.h: inside of the contact layer: the built-in shapes and the table of pairs. */
#ifndef SS_GEOMETRY_GEOMETRY_H
#define SS_GEOMETRY_GEOMETRY_H

#include "base/arena.h"
#include "geometry/vector.h"

#include <stickslip/shape.h>

extern const ss_shape_ops ss_shape_type_sphere, ss_shape_type_plane, ss_shape_type_box,
    ss_shape_type_capsule, ss_shape_type_cylinder, ss_shape_type_ellipsoid, ss_shape_type_hull,
    ss_shape_type_mesh, ss_shape_type_height_field;

/* What the functions of built-in shapes know of each other. */
typedef struct ss_sphere {
    double radius; /* m */
} ss_sphere;

typedef struct ss_plane {
    double extent; /* m, for drawing */
} ss_plane;

typedef struct ss_box {
    ss_matrix size; /* key */
    double half[3]; /* m */
} ss_box;

typedef struct ss_capsule {
    double radius, length; /* m */
} ss_capsule, ss_cylinder;

typedef struct ss_ellipsoid {
    ss_matrix axes; /* key */
    double half[3]; /* m */
} ss_ellipsoid;

/* Lists in one block of memory: those of face f are corners[begin[f]] … corners[begin[f + 1] - 1], in order around
 * it; those of the faces around point p are around[first[p]] … around[first[p + 1] - 1]. */
typedef struct ss_hull {
    ss_matrix points; /* keys */
    ss_text file;
    ss_matrix scale;
    int n_points, n_faces;
    double *vertices; /* 3 each, m */
    double *normals;  /* of faces, outward, 3 each */
    int *begin, *corners;
    int *first, *around;
    double size; /* diagonal of the box around it, m */
    ss_solid solid;
} ss_hull;

/* Volume, centre and inertia of what a closed surface encloses; a negative volume when it is seen from inside. */
void ss_triangles_solid(const ss_triangles *triangles, ss_solid *solid);

/* Two shapes whose contacts are looked for. */
typedef struct ss_shape_pair {
    const ss_shape *a, *b;
    const ss_pose *pose_a, *pose_b;
    double margin; /* m */
    bool turned;   /* the contacts are wanted with the two exchanged */
    ss_contact_point_fn receive;
    void *user;
} ss_shape_pair;

static inline ss_contact_point ss_contact_turned(ss_contact_point contact)
{
    ss_contact_point other = {.gap = contact.gap, .feature = contact.feature};
    ss_scale3(-1, contact.n, other.n);
    ss_copy3(contact.b, other.a);
    ss_copy3(contact.a, other.b);
    return other;
}

static inline void ss_pair_send(const ss_shape_pair *pair, const ss_contact_point *contact)
{
    if (pair->turned) {
        ss_contact_point other = ss_contact_turned(*contact);
        pair->receive(pair->user, &other);
    } else {
        pair->receive(pair->user, contact);
    }
}

/* Finds the contacts of two shapes of the kinds that it names, a first (collide.c). */
typedef void ss_pair_fn(const ss_shape_pair *pair);
ss_pair_fn ss_pair_sphere_sphere, ss_pair_plane_sphere, ss_pair_sphere_box, ss_pair_sphere_capsule,
    ss_pair_sphere_cylinder, ss_pair_sphere_ellipsoid, ss_pair_plane_convex, ss_pair_plane_cylinder,
    ss_pair_box_box, ss_pair_capsule_capsule, ss_pair_convex_convex, ss_pair_mesh_sphere,
    ss_pair_mesh_convex, ss_pair_mesh_plane, ss_pair_mesh_mesh;

static inline bool ss_shape_is_mesh(const ss_shape *shape)
{
    return shape->ops->kind == SS_SHAPE_MESH || shape->ops->kind == SS_SHAPE_HEIGHT_FIELD;
}

/* No displacement, no rotation (shape.c). */
extern const ss_pose ss_pose_here;

/* p = x + A p', and the rotation alone, forth and back; v and w may be the same. */
static inline void ss_pose_rotate(const ss_pose *pose, const double v[3], double w[3])
{
    const double *A = pose->A;
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; i++)
        w[i] = A[3 * i] * x + A[3 * i + 1] * y + A[3 * i + 2] * z;
}

static inline void ss_pose_rotate_back(const ss_pose *pose, const double v[3], double w[3])
{
    const double *A = pose->A;
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; i++)
        w[i] = A[i] * x + A[3 + i] * y + A[6 + i] * z;
}

static inline void ss_pose_point(const ss_pose *pose, const double p[3], double x[3])
{
    ss_pose_rotate(pose, p, x);
    for (int i = 0; i < 3; i++)
        x[i] += pose->x[i];
}

static inline void ss_pose_point_back(const ss_pose *pose, const double x[3], double p[3])
{
    double d[3];
    ss_minus3(x, pose->x, d);
    ss_pose_rotate_back(pose, d, p);
}

/* The pose of b in the frame of a. */
static inline void ss_pose_between(const ss_pose *a, const ss_pose *b, ss_pose *between)
{
    ss_pose_point_back(a, b->x, between->x);
    for (int k = 0; k < 3; k++) {
        double column[3] = {b->A[k], b->A[3 + k], b->A[6 + k]};
        ss_pose_rotate_back(a, column, column);
        for (int i = 0; i < 3; i++)
            between->A[3 * i + k] = column[i];
    }
}

/* All points whose coordinates are not farther than `reach` from those of x. */
static inline void ss_bounds_around(const double x[3], const double reach[3], ss_bounds *box)
{
    ss_minus3(x, reach, box->low);
    ss_add3(x, reach, box->high);
}

/* The box around nothing, and the one that also has p. */
static const ss_bounds ss_bounds_none = {{INFINITY, INFINITY, INFINITY},
                                         {-INFINITY, -INFINITY, -INFINITY}};

static inline void ss_bounds_include(ss_bounds *box, const double p[3])
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = p[k] < box->low[k] ? p[k] : box->low[k];
        box->high[k] = p[k] > box->high[k] ? p[k] : box->high[k];
    }
}

static inline void ss_bounds_grow(ss_bounds *box, double by)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] -= by;
        box->high[k] += by;
    }
}

/* Without a branch: whether two neighbours overlap cannot be predicted. */
static inline bool ss_bounds_overlap(const ss_bounds *a, const ss_bounds *b)
{
    bool overlap = true;
    for (int k = 0; k < 3; k++)
        overlap &= a->low[k] <= b->high[k] && b->low[k] <= a->high[k];
    return overlap;
}

/* The box around a shape; a step asks for that of many balls. */
static inline void ss_shape_bounds(const ss_shape *shape, const ss_pose *pose, ss_bounds *box)
{
    if (shape->ops->kind == SS_SHAPE_SPHERE) {
        double r = ((const ss_sphere *)shape->self)->radius;
        ss_bounds_around(pose->x, (double[]){r, r, r}, box);
    } else {
        shape->ops->bounds(shape->self, pose, box);
    }
}

#endif
