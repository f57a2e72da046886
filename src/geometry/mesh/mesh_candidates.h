/* mesh_candidates.h: the contacts of two meshes, of which those are left out that another one opens by a shorter way. */
#ifndef SS_GEOMETRY_MESH_MESH_CANDIDATES_H
#define SS_GEOMETRY_MESH_MESH_CANDIDATES_H

#include "geometry/mesh/mesh_pool.h"

enum { SS_MESH_CANDIDATES = 128 };

/* A contact, with the corners of what meets there on either mesh: 1 of a corner, 2 of an edge, 3 of a face. */
typedef struct ss_mesh_candidate {
    ss_contact_point contact;
    bool turned; /* the face is the second mesh's */
    bool
        nearly; /* a corner above the deepest one of a face that nearly lies on the other: it goes with that one */
    int count[2];
    double corners[2][3][3];
} ss_mesh_candidate;

typedef struct ss_mesh_candidates {
    ss_mesh_pool *pool; /* NULL: for who follows contacts, and needs those that are open, too */
    double size;        /* of the smaller mesh, m */
    double sure;        /* contacts with larger gaps are kept, whatever else opens them, m */
    int count;
    ss_mesh_candidate list[SS_MESH_CANDIDATES];
} ss_mesh_candidates;

/* All in the frame of the pool. */
void ss_mesh_candidates_add(ss_mesh_candidates *candidates, const ss_mesh_candidate *candidate);
/* Gives what is left to the pool. */
void ss_mesh_candidates_give(ss_mesh_candidates *candidates);
/* Without a pool: those with the smallest gaps, each feature once, in space; how many. */
int ss_mesh_candidates_nearest(ss_mesh_candidates *candidates, const ss_pose *pose, int capacity,
                               ss_contact_point *contacts);

#endif
