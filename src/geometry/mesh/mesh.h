/* mesh.h: inside of triangle meshes: surfaces of triangles that know their neighbours.
 *
 * A triangle is seen from the side from which its corners run counter-clockwise. Behind it is material, as deep as
 * the thickness: what has come no deeper is pushed out again. A neighbourhood decides which directions a
 * corner, an edge or a face can push to (its normal cone), so that edges inside of a flat face do not exist.
 */
#ifndef SS_GEOMETRY_MESH_MESH_H
#define SS_GEOMETRY_MESH_MESH_H

#include "geometry/geometry.h"

typedef enum ss_bend { SS_BEND_CONVEX, SS_BEND_FLAT, SS_BEND_CONCAVE } ss_bend;

typedef struct ss_mesh_edge {
    int points[2];    /* as they run in the first triangle */
    int triangles[2]; /* the second is -1 on the border */
    ss_bend bend;     /* a border is convex */
} ss_mesh_edge;

/* Boxes of the tree around the triangles order[first] … order[first + count - 1], and around them and the material
 * behind them; the node's two halves are the next node and `second`, 0 for a leaf. */
typedef struct ss_mesh_node {
    ss_bounds surface, material;
    int first, count, second;
} ss_mesh_node;

typedef struct ss_mesh {
    int n_points, n_triangles, n_edges, n_nodes;
    double *points;  /* 3 each, m */
    int *corners;    /* 3 of each triangle */
    double *normals; /* of triangles, 3 each */
    int *sides;      /* edges of each triangle: from corner k to the next one */
    ss_mesh_edge *edges;
    /* points that edges lead to from point p: around[first[p]] … around[first[p + 1] - 1] */
    int *first, *around;
    /* mean of the triangles' normals around, weighted by their angles; 3 each */
    double *point_normals;
    int *owner; /* a triangle of each point */
    int *patch; /* of triangles: the first one of the flat piece of surface they belong to */
    int *order;
    ss_mesh_node *nodes;
    double size;      /* diagonal of the box around it, m */
    double thickness; /* m */
    ss_bounds box;    /* around it, and around the material behind it unless that is inside */
    bool closed;
    ss_solid solid;
} ss_mesh;

/* What the files and keys say: points may occur several times, and nothing is known about the triangles. */
typedef struct ss_mesh_source {
    ss_context *context;
    ss_location where; /* for messages */
    bool confined;     /* the file must be in the directory or below it */
    bool hollow;       /* triangles are to be turned round: the material is outside */
    size_t n_points, n_corners, point_capacity, corner_capacity;
    double *points; /* 3 each */
    int *corners;   /* 3 for each triangle */
    char *path;     /* of the file that messages name */
} ss_mesh_source;

void ss_mesh_source_release(ss_mesh_source *source);
ss_status ss_mesh_source_point(ss_mesh_source *source, const double point[3]);
ss_status ss_mesh_source_triangle(ss_mesh_source *source, int p, int q, int r);

/* Reads a file; relative names begin at `directory` (NULL: here). */
ss_status ss_mesh_read_file(ss_mesh_source *source, const ss_text *file, const char *directory);
/* Reads the `size` bytes of a file; `file` is for messages. The format is told from the name's end (.obj, .stl). */
ss_status ss_mesh_read(ss_mesh_source *source, const char *file, const char *text, size_t size);

/* One factor of coordinates, or three, none of them zero: three of them. */
ss_status ss_mesh_scale(ss_context *context, const ss_shape_setup *setup, const ss_matrix *given,
                        double factors[3]);
/* Multiplies all points; triangles that are mirrored keep their outer side. */
void ss_mesh_source_stretch(ss_mesh_source *source, const double factors[3]);

/* Points that are equal become one, triangles without area are left out, neighbours are found. thickness 0: a
 * tenth of the smallest side of the box around a closed mesh, or of the diagonal of an open one. */
ss_status ss_mesh_build(const ss_mesh_source *source, double scale, double thickness,
                        ss_mesh *mesh);
void ss_mesh_release(ss_mesh *mesh, ss_context *context);

/* The box around a mesh. */
void ss_mesh_bounds(const void *mesh, const ss_pose *pose, ss_bounds *box);

/* The mesh of a shape of type mesh or height_field, else NULL. */
static inline const ss_mesh *ss_shape_mesh(const ss_shape *shape)
{
    return ss_shape_is_mesh(shape) ? shape->self : NULL;
}

enum { SS_MESH_DEPTH = 64 }; /* of the tree at most */

/* Calls visit for each triangle whose box may overlap `box`, in a fixed order; both in the mesh's frame. `deep`: also
 * where only the material behind it does. */
typedef void (*ss_mesh_visit_fn)(void *user, int triangle);
void ss_mesh_visit(const ss_mesh *mesh, const ss_bounds *box, bool deep, ss_mesh_visit_fn visit,
                   void *user);

static inline const double *ss_mesh_point(const ss_mesh *mesh, int point)
{
    return mesh->points + 3 * (size_t)point;
}

static inline const double *ss_mesh_corner(const ss_mesh *mesh, int triangle, int k)
{
    return ss_mesh_point(mesh, mesh->corners[3 * (size_t)triangle + (size_t)k]);
}

static inline const double *ss_mesh_normal(const ss_mesh *mesh, int triangle)
{
    return mesh->normals + 3 * (size_t)triangle;
}

/* Whether the surface can push along the unit vector d at a point or at an edge: no displacement along the surface leads
 * farther that way, by more than `slope` times its length. */
bool ss_mesh_point_pushes(const ss_mesh *mesh, int point, const double d[3], double slope);
bool ss_mesh_edge_pushes(const ss_mesh *mesh, int edge, const double d[3], double slope);

/* Slopes that are rounding. */
static const double SS_MESH_SLACK = 1e-9;

/* Of two meshes every corner above a face and every edge across an edge whose gap is below the margin, for who follows each
 * through time: nothing is merged or reduced, and a feature has the same name whatever the poses. Of more than `capacity` those
 * with the smallest gaps; how many. */
int ss_mesh_mesh_follow(const ss_mesh *a, const ss_pose *pose_a, const ss_mesh *b,
                        const ss_pose *pose_b, double margin, int capacity,
                        ss_contact_point *contacts);

/* ---- Contacts of a mesh with something else, gathered before they are given away: those with one normal in one plane are a
 * region, of which a few points are enough (mesh_pool.c) ---- */

enum { SS_MESH_REGIONS = 32, SS_MESH_REGION_MAX = 16 };

typedef struct ss_mesh_region {
    double n[3], height; /* of the plane along n */
    int count;
    ss_contact_point contacts[SS_MESH_REGION_MAX];
} ss_mesh_region;

typedef struct ss_mesh_pool {
    const ss_shape_pair *pair; /* contacts are added in the frame of its first shape */
    double size;               /* m: points nearer than 1e-6 of it are one */
    bool merge; /* also points of regions with nearly the same normal: see ss_mesh_pool_give */
    int n_regions;
    ss_mesh_region regions[SS_MESH_REGIONS];
} ss_mesh_pool;

/* Empties it, without touching what is large in it. */
static inline void ss_mesh_pool_begin(ss_mesh_pool *pool, const ss_shape_pair *pair, double size)
{
    pool->pair = pair;
    pool->size = size;
    pool->merge = false;
    pool->n_regions = 0;
}

/* `height` is that of the plane in which contacts belong together, along the normal. A contact that finds no capacity
 * is given away at once. */
void ss_mesh_pool_add(ss_mesh_pool *pool, const ss_contact_point *contact, double height);
/* The region of a plane; NULL: there is none. */
ss_mesh_region *ss_mesh_pool_region(ss_mesh_pool *pool, const double n[3], double height);
/* At most four of each region. */
void ss_mesh_pool_give(ss_mesh_pool *pool);

/* A contact that is known in a frame, in space. */
static inline void ss_contact_place(const ss_contact_point *contact, const ss_pose *pose,
                                    ss_contact_point *in_space)
{
    in_space->gap = contact->gap;
    in_space->feature = contact->feature;
    ss_pose_rotate(pose, contact->n, in_space->n);
    ss_pose_point(pose, contact->a, in_space->a);
    ss_pose_point(pose, contact->b, in_space->b);
}

/* Two numbers as one feature. */
static inline uint32_t ss_mesh_feature(uint32_t kind, uint32_t a, uint32_t b)
{
    uint32_t mix =
        (a * UINT32_C(0x9e3779b1)) ^ (b * UINT32_C(0x85ebca6b) + kind * UINT32_C(0xc2b2ae35));
    return mix ^ (mix >> 15);
}

#endif
