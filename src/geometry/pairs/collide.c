/* collide.c: which function finds the contacts of which pair of shapes. */
#include "geometry/geometry.h"
#include "geometry/mesh/mesh.h"
#include "geometry/shapes/convex.h"

/* Each pair stands once; the other order is turned round. Convex shapes that are not here, a user's own among them,
 * meet by their farthest points. */
static const struct pair {
    ss_shape_kind a, b;
    ss_pair_fn contact;
} pairs[] = {
    {SS_SHAPE_SPHERE, SS_SHAPE_SPHERE, ss_pair_sphere_sphere},
    {SS_SHAPE_PLANE, SS_SHAPE_SPHERE, ss_pair_plane_sphere},
    {SS_SHAPE_SPHERE, SS_SHAPE_BOX, ss_pair_sphere_box},
    {SS_SHAPE_BOX, SS_SHAPE_BOX, ss_pair_box_box},
    {SS_SHAPE_SPHERE, SS_SHAPE_CAPSULE, ss_pair_sphere_capsule},
    {SS_SHAPE_SPHERE, SS_SHAPE_CYLINDER, ss_pair_sphere_cylinder},
    {SS_SHAPE_SPHERE, SS_SHAPE_ELLIPSOID, ss_pair_sphere_ellipsoid},
    {SS_SHAPE_CAPSULE, SS_SHAPE_CAPSULE, ss_pair_capsule_capsule},
    {SS_SHAPE_PLANE, SS_SHAPE_CYLINDER, ss_pair_plane_cylinder},
};

static ss_pair_fn mesh_pair(const ss_shape *a, const ss_shape *b)
{
    if (!ss_shape_mesh(a))
        return NULL;
    if (ss_shape_mesh(b))
        return ss_pair_mesh_mesh;
    if (b->ops->kind == SS_SHAPE_SPHERE)
        return ss_pair_mesh_sphere;
    if (b->ops->kind == SS_SHAPE_PLANE)
        return ss_pair_mesh_plane;
    return b->ops->support ? ss_pair_mesh_convex : NULL;
}

static ss_pair_fn convex_pair(const ss_shape *a, const ss_shape *b)
{
    if (!b->ops->support)
        return NULL;
    if (a->ops->support)
        return ss_pair_convex_convex;
    return a->ops->kind == SS_SHAPE_PLANE ? ss_pair_plane_convex : NULL;
}

static ss_pair_fn find(const ss_shape *a, const ss_shape *b)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].a == a->ops->kind && pairs[i].b == b->ops->kind)
            return pairs[i].contact;
    return mesh_pair(a, b);
}

typedef struct turned {
    ss_contact_point_fn receive;
    void *user;
} turned;

static void receive_turned(void *user, const ss_contact_point *contact)
{
    const turned *to = user;
    ss_contact_point other = *contact;
    for (int i = 0; i < 3; i++) {
        other.n[i] = -contact->n[i];
        other.a[i] = contact->b[i];
        other.b[i] = contact->a[i];
    }
    to->receive(to->user, &other);
}

void ss_shapes_collide(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                       const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                       void *user)
{
    ss_pair_fn contact = find(a, b), back = contact ? NULL : find(b, a);
    if (!contact && !back && !(contact = convex_pair(a, b)))
        back = convex_pair(b, a);
    turned to = {receive, user};
    if (contact)
        contact(a, pose_a, b, pose_b, margin, receive, user);
    else if (back)
        back(b, pose_b, a, pose_a, margin, receive_turned, &to);
}
