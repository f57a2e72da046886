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
    const ss_pose *pose; /* of the frame that contacts are added in */
    double size;         /* m: points nearer than 1e-6 of it are one */
    bool turned;         /* give the contacts with the two shapes exchanged */
    bool merge; /* also points of regions with nearly the same normal: see ss_mesh_pool_give */
    ss_contact_point_fn receive;
    void *user;
    int n_regions;
    ss_mesh_region regions[SS_MESH_REGIONS];
} ss_mesh_pool;

/* Empties it, without touching what is large in it. */
static inline void ss_mesh_pool_begin(ss_mesh_pool *pool, const ss_pose *pose, double size,
                                      ss_contact_point_fn receive, void *user)
{
    pool->pose = pose;
    pool->size = size;
    pool->turned = pool->merge = false;
    pool->receive = receive;
    pool->user = user;
    pool->n_regions = 0;
}

/* `height` is that of the plane in which contacts belong together, along the normal. A contact that finds no capacity
 * is given away at once. */
void ss_mesh_pool_add(ss_mesh_pool *pool, const ss_contact_point *contact, double height);
/* Whether there is a region of this plane. */
bool ss_mesh_pool_has(const ss_mesh_pool *pool, const double n[3], double height);
/* At most four of each region. */
void ss_mesh_pool_give(ss_mesh_pool *pool);

/* Two numbers as one feature. */
static inline uint32_t ss_mesh_feature(uint32_t kind, uint32_t a, uint32_t b)
{
    uint32_t mix =
        (a * UINT32_C(0x9e3779b1)) ^ (b * UINT32_C(0x85ebca6b) + kind * UINT32_C(0xc2b2ae35));
    return mix ^ (mix >> 15);
}

/* The pose of b in the frame of a. */
static inline void ss_pose_between(const ss_pose *a, const ss_pose *b, ss_pose *between)
{
    double x[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};
    ss_pose_rotate_back(a, x, between->x);
    for (int k = 0; k < 3; k++) {
        double column[3] = {b->A[k], b->A[3 + k], b->A[6 + k]}, turned[3];
        ss_pose_rotate_back(a, column, turned);
        for (int i = 0; i < 3; i++)
            between->A[3 * i + k] = turned[i];
    }
}

#endif
