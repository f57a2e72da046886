/* mesh_pool.h: the contacts of a mesh with something else, gathered before they are given away: those with one
 * normal in one plane are a region, of which a few points are enough. */
#ifndef SS_GEOMETRY_MESH_MESH_POOL_H
#define SS_GEOMETRY_MESH_MESH_POOL_H

#include "geometry/mesh/mesh.h"

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
const ss_mesh_region *ss_mesh_pool_region(const ss_mesh_pool *pool, const double n[3],
                                          double height);
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
