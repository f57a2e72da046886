/* pair_convex.c: any two convex shapes. */
#include "geometry/geometry.h"
#include "geometry/shapes/convex.h"

ss_convex ss_shape_convex(const ss_shape *shape, const ss_pose *pose)
{
    const ss_shape_ops *ops = shape->ops;
    return (ss_convex){
        .self = shape->self,
        .pose = pose,
        .support = ops->support,
        .face = ops->face,
        .radius = ops->radius ? ops->radius(shape->self) : 0,
        .sampled = !ops->face && !ops->strictly_convex,
    };
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
