/* collide.c: which function finds the contacts of which pair of shapes. */
#include "geometry/geometry.h"

enum { KINDS = SS_SHAPE_HEIGHT_FIELD + 1 };

/* Each pair stands once; the other order is turned round. */
static ss_pair_fn *const pairs[KINDS][KINDS] = {
    [SS_SHAPE_SPHERE][SS_SHAPE_SPHERE] = ss_pair_sphere_sphere,
    [SS_SHAPE_PLANE][SS_SHAPE_SPHERE] = ss_pair_plane_sphere,
    [SS_SHAPE_SPHERE][SS_SHAPE_BOX] = ss_pair_sphere_box,
    [SS_SHAPE_BOX][SS_SHAPE_BOX] = ss_pair_box_box,
    [SS_SHAPE_SPHERE][SS_SHAPE_CAPSULE] = ss_pair_sphere_capsule,
    [SS_SHAPE_SPHERE][SS_SHAPE_CYLINDER] = ss_pair_sphere_cylinder,
    [SS_SHAPE_SPHERE][SS_SHAPE_ELLIPSOID] = ss_pair_sphere_ellipsoid,
    [SS_SHAPE_CAPSULE][SS_SHAPE_CAPSULE] = ss_pair_capsule_capsule,
    [SS_SHAPE_PLANE][SS_SHAPE_CYLINDER] = ss_pair_plane_cylinder,
};

/* Meshes meet everything. Convex shapes that are not in the table, a user's own among them, meet by their farthest
 * points. */
static ss_pair_fn *find_general(const ss_shape *a, const ss_shape *b)
{
    bool convex = b->ops->support != NULL;
    if (ss_shape_is_mesh(a) && ss_shape_is_mesh(b))
        return ss_pair_mesh_mesh;
    if (ss_shape_is_mesh(a) && b->ops->kind == SS_SHAPE_SPHERE)
        return ss_pair_mesh_sphere;
    if (ss_shape_is_mesh(a) && b->ops->kind == SS_SHAPE_PLANE)
        return ss_pair_mesh_plane;
    if (ss_shape_is_mesh(a))
        return convex ? ss_pair_mesh_convex : NULL;
    if (a->ops->kind == SS_SHAPE_PLANE)
        return convex ? ss_pair_plane_convex : NULL;
    return convex && a->ops->support ? ss_pair_convex_convex : NULL;
}

void ss_shapes_collide(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                       const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                       void *user)
{
    ss_shape_kind kind_a = a->ops->kind, kind_b = b->ops->kind;
    ss_pair_fn *contact = pairs[kind_a][kind_b], *back = contact ? NULL : pairs[kind_b][kind_a];
    if (!contact && !back && !(contact = find_general(a, b)))
        back = find_general(b, a);
    if (contact)
        contact(&(ss_shape_pair){a, b, pose_a, pose_b, margin, false, receive, user});
    else if (back)
        back(&(ss_shape_pair){b, a, pose_b, pose_a, margin, true, receive, user});
}
