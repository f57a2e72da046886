/* mesh_ways.h: the touches of two meshes, of which those are left out that another one opens by a shorter way. */
#ifndef SS_CONTACT_MESH_WAYS_H
#define SS_CONTACT_MESH_WAYS_H

#include "contact/mesh_pool.h"

enum { SS_MESH_WAYS = 128 };

/* A touch, with the corners of what meets there on either mesh: 1 of a corner, 2 of an edge, 3 of a face. */
typedef struct ss_mesh_way {
    ss_touch touch;
    bool turned; /* the face is the second mesh's */
    bool nearly; /* a corner above the deepest one of a face that nearly lies on the other: it goes with that one */
    int count[2];
    double corners[2][3][3];
} ss_mesh_way;

typedef struct ss_mesh_ways {
    ss_mesh_pool *pool; /* NULL: for who follows touches, and needs those that are open, too */
    double size;        /* of the smaller mesh, m */
    double sure;        /* touches with larger gaps are kept, whatever else opens them, m */
    int count;
    ss_mesh_way list[SS_MESH_WAYS];
} ss_mesh_ways;

/* All in the frame of the pool. */
void ss_mesh_ways_add(ss_mesh_ways *ways, const ss_mesh_way *way);
/* Gives what is left to the pool. */
void ss_mesh_ways_give(ss_mesh_ways *ways);
/* Without a pool: those with the smallest gaps, each feature once, in space; how many. */
int ss_mesh_ways_nearest(ss_mesh_ways *ways, const ss_pose *pose, int room, ss_touch *touches);

#endif
