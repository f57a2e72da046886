/* pair_convex.c: any two convex shapes. */
#include "geometry/geometry.h"
#include "geometry/shapes/convex.h"

ss_convex ss_shape_convex(const ss_shape *shape, const ss_pose *pose)
{
    static const struct {
        ss_shape_kind kind;
        void (*face)(const void *self, const double d[3], ss_face *face);
    } faces[] = {
        {SS_SHAPE_SPHERE, NULL},
        {SS_SHAPE_ELLIPSOID, NULL},
        {SS_SHAPE_BOX, ss_box_face},
        {SS_SHAPE_CAPSULE, ss_capsule_face},
        {SS_SHAPE_CYLINDER, ss_cylinder_face},
        {SS_SHAPE_HULL, ss_hull_face},
    };
    ss_convex convex = {.self = shape->self, .pose = pose, .support = shape->ops->support};
    convex.sampled = true;
    convex.radius = shape->ops->radius ? shape->ops->radius(shape->self) : 0;
    for (size_t i = 0; i < sizeof faces / sizeof *faces; i++)
        if (faces[i].kind == shape->ops->kind) {
            convex.face = faces[i].face;
            convex.sampled = false;
        }
    return convex;
}

void ss_pair_convex_convex(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                           const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                           void *user)
{
    ss_convex first = ss_shape_convex(a, pose_a), second = ss_shape_convex(b, pose_b);
    ss_contact_point contacts[SS_CONTACT_POINTS_MAX];
    int count = ss_convex_collide(&first, &second, margin, contacts);
    for (int i = 0; i < count; i++)
        receive(user, &contacts[i]);
}
