/* points.h: every contact that two shapes can have, each as a function of their poses.
 *
 * ss_shapes_collide says where shapes contact at one instant, and which points there are changes with the poses. Who
 * follows a contact through time needs a gap that is there whether the contact is near or not: a corner above a plane, a rim, a
 * ball. Shapes with flat faces on both sides have no such list: there a contact is known by its feature. Two meshes have one for
 * each corner above a face and each crossing of edges that are near, none of them merged: ss_mesh_mesh_follow.
 */
#ifndef SS_GEOMETRY_PAIRS_POINTS_H
#define SS_GEOMETRY_PAIRS_POINTS_H

#include <stickslip/shape.h>

enum { SS_POINTS_MAX = 16 }; /* of a pair whose contacts come and go */

typedef struct ss_points {
    int count;       /* contacts at most; 0: the pair cannot be followed */
    bool by_feature; /* they come and go with the faces that meet; else each is there always */
    double depth;    /* m: what is deeper is not found; 0: there is no such limit */
} ss_points;

ss_points ss_shapes_points(const ss_shape *a, const ss_shape *b);

/* Whether contacts of a shape with another are those of the mesh that its flat faces make: a box or a hull on a mesh. The
 * functions here want that mesh in its place. */
bool ss_points_need_mesh(const ss_shape *shape, const ss_shape *other);
/* That mesh, to be given back with the second function. On failure nothing is held. */
ss_status ss_points_make_mesh(ss_context *context, const ss_shape *shape, ss_shape *mesh);
void ss_points_release_mesh(ss_context *context, ss_shape *mesh);

/* Of contacts that come and go those that are there, at most `capacity`: their number is returned. */
int ss_shapes_list_points(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                          const ss_pose *pose_b, int capacity, ss_contact_point *contacts);
/* Of the others number k; false: there is none at these poses. */
bool ss_shapes_place_point(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                           const ss_pose *pose_b, int k, ss_contact_point *contact);

#endif
