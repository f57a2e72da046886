/* points.c: every contact that two shapes can have, as a function of their poses. */
#include "geometry/pairs/points.h"

#include "geometry/mesh/mesh.h"
#include "geometry/pairs/convex.h"

/* ---- A plane and points of the other shape ---- */

/* Points of a shape that may be the lowest one above a plane. */
static int plane_points(const ss_shape *b)
{
    if (b->ops->strictly_convex)
        return 1;
    if (b->ops->kind == SS_SHAPE_CAPSULE)
        return 2;
    if (b->ops->kind == SS_SHAPE_BOX)
        return 8;
    if (b->ops->kind == SS_SHAPE_CYLINDER)
        return 2 * SS_RIM_POINTS;
    if (ss_shape_mesh(b))
        return ss_shape_mesh(b)->n_points;
    return b->ops->kind == SS_SHAPE_HULL ? ((const ss_hull *)b->self)->n_points : 0;
}

/* Point k of a shape in its own frame; `down` is the direction into the plane. */
static void shape_point(const ss_shape *b, const double down[3], int k, double p[3])
{
    if (b->ops->kind == SS_SHAPE_BOX) {
        for (int i = 0; i < 3; i++)
            p[i] = (k >> i & 1 ? 1 : -1) * ((const ss_box *)b->self)->half[i];
    } else if (b->ops->kind == SS_SHAPE_CAPSULE) {
        double half = 0.5 * ((const ss_capsule *)b->self)->length;
        ss_copy3((double[]){0, 0, k ? half : -half}, p);
    } else if (b->ops->kind == SS_SHAPE_CYLINDER) {
        ss_cylinder_rim(b->self, down, k, p);
    } else if (b->ops->kind == SS_SHAPE_HULL) {
        ss_copy3(((const ss_hull *)b->self)->vertices + 3 * k, p);
    } else if (ss_shape_mesh(b)) {
        ss_copy3(ss_mesh_point(ss_shape_mesh(b), k), p);
    } else {
        b->ops->support(b->self, down, p);
    }
}

static ss_contact_point point_on_plane(const ss_pose *plane, const ss_shape *b,
                                       const ss_pose *pose_b, int k)
{
    ss_convex convex = ss_shape_convex(b, pose_b);
    const double up[3] = {plane->A[2], plane->A[5], plane->A[8]};
    double down[3], p[3];
    ss_pose_rotate_back(pose_b, up, down);
    ss_scale3(-1, down, down);
    shape_point(b, down, k, p);
    return ss_plane_contact(plane, &convex, p, (uint32_t)k);
}

/* ---- Any two ---- */

static bool is_plane(const ss_shape *shape)
{
    return shape->ops->kind == SS_SHAPE_PLANE;
}

static double radius_of(const ss_shape *ball)
{
    return ((const ss_sphere *)ball->self)->radius;
}

static bool is_ball_on_mesh(const ss_shape *ball, const ss_shape *mesh)
{
    return ball->ops->kind == SS_SHAPE_SPHERE && ss_shape_mesh(mesh);
}

ss_points ss_shapes_points(const ss_shape *a, const ss_shape *b)
{
    if (is_plane(a) || is_plane(b))
        return (ss_points){.count =
                               is_plane(a) && is_plane(b) ? 0 : plane_points(is_plane(a) ? b : a)};
    if (is_ball_on_mesh(a, b) || is_ball_on_mesh(b, a))
        return (ss_points){.count = SS_CONTACT_POINTS_MAX, .by_feature = true};
    if (ss_shape_mesh(a) && ss_shape_mesh(b))
        return (ss_points){
            .count = SS_POINTS_MAX,
            .by_feature = true,
            .depth = fmin(ss_shape_mesh(a)->thickness, ss_shape_mesh(b)->thickness),
        };
    if (ss_shape_mesh(a) || ss_shape_mesh(b) || !a->ops->support || !b->ops->support)
        return (ss_points){0};
    bool one = a->ops->strictly_convex || b->ops->strictly_convex;
    return (ss_points){.count = one ? 1 : SS_CONTACT_POINTS_MAX, .by_feature = !one};
}

typedef struct list {
    int count, capacity;
    ss_contact_point *contacts;
} list;

static void receive(void *user, const ss_contact_point *contact)
{
    list *to = user;
    if (to->count < to->capacity)
        to->contacts[to->count++] = *contact;
}

int ss_shapes_list_points(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                          const ss_pose *pose_b, int capacity, ss_contact_point *contacts)
{
    const ss_mesh *first = ss_shape_mesh(a), *second = ss_shape_mesh(b);
    if (first && second)
        return ss_mesh_mesh_follow(first, pose_a, second, pose_b,
                                   0.25 * fmin(first->size, second->size), capacity, contacts);
    list to = {0, capacity, contacts};
    double margin = is_ball_on_mesh(a, b)   ? radius_of(a)
                    : is_ball_on_mesh(b, a) ? radius_of(b)
                                            : INFINITY;
    ss_shapes_collide(a, pose_a, b, pose_b, margin, receive, &to);
    return to.count;
}

bool ss_shapes_place_point(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                           const ss_pose *pose_b, int k, ss_contact_point *contact)
{
    if (!is_plane(a) && !is_plane(b))
        return ss_shapes_list_points(a, pose_a, b, pose_b, 1, contact) == 1;
    const ss_mesh *mesh = ss_shape_mesh(is_plane(a) ? b : a);
    if (mesh && mesh->owner[k] < 0) /* a mesh may have points that no triangle uses */
        return false;
    if (is_plane(a))
        *contact = point_on_plane(pose_a, b, pose_b, k);
    else
        *contact = ss_contact_turned(point_on_plane(pose_b, a, pose_a, k));
    return true;
}

/* ---- A convex shape with flat faces as a mesh: its contacts with meshes are corners on faces and edges across edges, too ---- */

bool ss_points_need_mesh(const ss_shape *shape, const ss_shape *other)
{
    return ss_shape_mesh(other) &&
           (shape->ops->kind == SS_SHAPE_BOX || shape->ops->kind == SS_SHAPE_HULL);
}

static ss_status build(ss_context *context, const ss_shape *shape, ss_mesh *mesh)
{
    ss_triangles t;
    SS_TRY(shape->ops->triangles(shape->self, context, &t));
    const ss_mesh_source source = {.context = context,
                                   .n_points = (size_t)t.n_points,
                                   .n_corners = 3 * (size_t)t.n_triangles,
                                   .points = t.points,
                                   .corners = t.corners};
    ss_status status = ss_mesh_build(&source, 1, 0, mesh);
    ss_release(context, t.points);
    ss_release(context, t.corners);
    return status;
}

ss_status ss_points_make_mesh(ss_context *context, const ss_shape *shape, ss_shape *mesh)
{
    ss_mesh *self;
    SS_TRY(SS_NEW(context, 1, &self));
    ss_status status = build(context, shape, self);
    if (status == SS_OK)
        *mesh = (ss_shape){.ops = &ss_shape_type_mesh, .self = self};
    else
        ss_release(context, self);
    return status;
}

void ss_points_release_mesh(ss_context *context, ss_shape *mesh)
{
    if (!mesh->self)
        return;
    ss_mesh_release(mesh->self, context);
    ss_release(context, mesh->self);
    mesh->self = NULL;
}
