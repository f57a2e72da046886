/* geometry.h: inside of the contact layer: the built-in shapes and the table of pairs. */
#ifndef SS_GEOMETRY_GEOMETRY_H
#define SS_GEOMETRY_GEOMETRY_H

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
} ss_capsule;

typedef struct ss_cylinder {
    double radius, length; /* m */
} ss_cylinder;

typedef struct ss_ellipsoid {
    ss_matrix axes; /* key */
    double half[3]; /* m */
} ss_ellipsoid;

/* Lists in one block of memory: those of face f are corners[begin[f]] … corners[begin[f + 1] - 1], in order around
 * it; those of the faces around point p are around[first[p]] … around[first[p + 1] - 1]. */
typedef struct ss_hull {
    ss_matrix points; /* keys */
    ss_text file;
    double scale;
    int n_points, n_faces;
    double *vertices; /* 3 each, m */
    double *normals;  /* of faces, outward, 3 each */
    int *begin, *corners;
    int *first, *around;
    double size; /* diagonal of the box around it, m */
    ss_solid solid;
} ss_hull;

/* A ball of radius 1. */
ss_status ss_triangles_ball(ss_context *context, ss_triangles *triangles);

/* Volume, centre and inertia of what a closed surface of triangles encloses: begin with a point near it, add all
 * triangles (counter-clockwise from outside), end. */
typedef struct ss_solid_sums {
    double origin[3];
    double V, S[3], Q[3][3]; /* ∫dV, ∫x dV, ∫x xᵀ dV from there */
} ss_solid_sums;
void ss_solid_begin(const double origin[3], ss_solid_sums *sums);
void ss_solid_add(const double p[3], const double q[3], const double r[3], ss_solid_sums *sums);
void ss_solid_end(const ss_solid_sums *sums, ss_solid *solid);

/* Finds the contacts of two shapes whose types are those of its line in the table (contact.c). */
typedef void ss_pair(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                     const ss_pose *pose_b, double margin, ss_contact_point_fn receive, void *user);
typedef ss_pair *ss_pair_fn;

ss_pair ss_pair_sphere_sphere, ss_pair_plane_sphere, ss_pair_sphere_box, ss_pair_sphere_capsule,
    ss_pair_sphere_cylinder, ss_pair_sphere_ellipsoid;
ss_pair ss_pair_plane_convex, ss_pair_plane_cylinder;
ss_pair ss_pair_box_box, ss_pair_capsule_capsule;
ss_pair ss_pair_convex_convex;

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

#endif
