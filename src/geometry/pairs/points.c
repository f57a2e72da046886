/* points.c: every contact that two shapes can have, as a function of their poses. */
#include "geometry/pairs/points.h"

#include "geometry/geometry.h"
#include "geometry/mesh/mesh.h"
#include "geometry/vector.h"

enum { RIM_POINTS = 4 };

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
        return 2 * RIM_POINTS;
    if (ss_shape_mesh(b))
        return ss_shape_mesh(b)->n_points;
    return b->ops->kind == SS_SHAPE_HULL ? ((const ss_hull *)b->self)->n_points : 0;
}

/* Of each rim the lowest point, the highest, and those in between, as ss_pair_plane_cylinder has them. */
static void rim_point(const ss_cylinder *c, const double down[3], int k, double p[3])
{
    double across = sqrt(down[0] * down[0] + down[1] * down[1]);
    double x = across > 1e-6 ? c->radius * down[0] / across : c->radius;
    double y = across > 1e-6 ? c->radius * down[1] / across : 0;
    const double around[RIM_POINTS][2] = {{x, y}, {-x, -y}, {-y, x}, {y, -x}};
    p[0] = around[k >> 1][0];
    p[1] = around[k >> 1][1];
    p[2] = k & 1 ? 0.5 * c->length : -0.5 * c->length;
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
        rim_point(b->self, down, k, p);
    } else if (b->ops->kind == SS_SHAPE_HULL) {
        ss_copy3(((const ss_hull *)b->self)->vertices + 3 * k, p);
    } else if (ss_shape_mesh(b)) {
        ss_copy3(ss_mesh_point(ss_shape_mesh(b), k), p);
    } else {
        b->ops->support(b->self, down, p);
    }
}

static void place_on_plane(const ss_pose *plane, const ss_shape *b, const ss_pose *pose_b, int k,
                           ss_contact_point *contact)
{
    double up[3] = {plane->A[2], plane->A[5], plane->A[8]}, down[3], p[3], d[3];
    double radius = b->ops->radius ? b->ops->radius(b->self) : 0;
    ss_pose_rotate_back(pose_b, up, down);
    ss_scale3(-1, down, down);
    shape_point(b, down, k, p);
    ss_pose_point(pose_b, p, contact->b);
    ss_along3(contact->b, -radius, up, contact->b);
    ss_minus3(contact->b, plane->x, d);
    contact->gap = ss_dot3(up, d);
    ss_along3(contact->b, -contact->gap, up, contact->a);
    ss_copy3(up, contact->n);
    contact->feature = (uint32_t)k;
}

static void turn_round(ss_contact_point *contact)
{
    double a[3];
    ss_copy3(contact->a, a);
    ss_copy3(contact->b, contact->a);
    ss_copy3(a, contact->b);
    ss_scale3(-1, contact->n, contact->n);
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

/* A mesh may have points that no triangle uses. */
static bool has_point(const ss_shape *shape, int k)
{
    const ss_mesh *mesh = ss_shape_mesh(shape);
    return !mesh || mesh->owner[k] >= 0;
}

bool ss_shapes_place_point(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                           const ss_pose *pose_b, int k, ss_contact_point *contact)
{
    if (!is_plane(a) && !is_plane(b))
        return ss_shapes_list_points(a, pose_a, b, pose_b, 1, contact) == 1;
    if (!has_point(is_plane(a) ? b : a, k))
        return false;
    if (is_plane(a)) {
        place_on_plane(pose_a, b, pose_b, k, contact);
    } else {
        place_on_plane(pose_b, a, pose_a, k, contact);
        turn_round(contact);
    }
    return true;
}
