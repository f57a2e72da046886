/* pair_plane.c: a plane against everything convex. */
#include "contact/contact.h"
#include "contact/convex.h"
#include "contact/manifold.h"
#include "contact/vector.h"

enum {
    LOWEST = 0x1000 /* mark of the lowest point, above those of corners */
};

/* The touch of the plane with the point p of the other's surface (in space). */
static ss_touch touch_at(const ss_pose *plane, const double p[3], uint32_t feature)
{
    double d[3], n[3] = {plane->A[2], plane->A[5], plane->A[8]};
    ss_minus3(p, plane->x, d);
    ss_touch touch = {.gap = ss_dot3(n, d), .feature = feature};
    ss_copy3(n, touch.n);
    ss_copy3(p, touch.b);
    ss_along3(p, -touch.gap, n, touch.a);
    return touch;
}

void ss_pair_plane_sphere(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                          const ss_pose *pose_b, double margin, ss_touch_fn receive, void *user)
{
    double r = ((const ss_sphere *)b->self)->radius;
    (void)a;
    ss_touch touch = touch_at(pose_a, pose_b->x, 0); /* of the centre */
    touch.gap -= r;
    if (touch.gap >= margin)
        return;
    ss_along3(touch.b, -r, touch.n, touch.b);
    receive(user, &touch);
}

static void send(int count, const ss_touch *touches, double margin, ss_touch_fn receive, void *user)
{
    for (int i = 0; i < count; i++)
        if (touches[i].gap < margin)
            receive(user, &touches[i]);
}

/* A point of the core, rounded off. */
static ss_touch touch_of(const ss_convex *convex, const ss_pose *plane, const double point[3],
                         uint32_t feature)
{
    double p[3], up[3] = {plane->A[2], plane->A[5], plane->A[8]};
    ss_pose_point(convex->pose, point, p);
    ss_along3(p, -convex->radius, up, p);
    return touch_at(plane, p, feature);
}

/* The corners that the other shows to the plane, and its lowest point unless a corner is as low. */
void ss_pair_plane_convex(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                          const ss_pose *pose_b, double margin, ss_touch_fn receive, void *user)
{
    ss_convex convex = ss_shape_convex(b, pose_b);
    double up[3] = {pose_a->A[2], pose_a->A[5], pose_a->A[8]}, d[3], p[3], size = 0;
    double least = INFINITY;
    ss_face face;
    ss_touch touches[SS_FACE_MAX + 1];
    (void)a;
    ss_pose_rotate_back(pose_b, up, d);
    ss_scale3(-1, d, d);
    ss_convex_shows(&convex, d, &face);
    for (int i = 0; i < face.count; i++) {
        touches[i] = touch_of(&convex, pose_a, face.points[i], face.ids[i]);
        ss_minus3(touches[i].b, touches[0].b, p);
        size = fmax(size, ss_length3(p));
        least = fmin(least, touches[i].gap);
    }
    convex.support(convex.self, d, p);
    int count = face.count;
    touches[count] = touch_of(&convex, pose_a, p, LOWEST);
    if (touches[count].gap < least - 1e-9 * size)
        count++;
    count = ss_reduce(count, touches, up, size);
    send(count, touches, margin, receive, user);
}

/* The lowest point of each rim; around the lower one three more, a quarter turn apart, for a cylinder that stands.
 * One that stands upright to 1e-6 has no lowest point that could be told: the x axis of its frame decides. */
void ss_pair_plane_cylinder(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                            const ss_pose *pose_b, double margin, ss_touch_fn receive, void *user)
{
    const ss_cylinder *c = b->self;
    double down[3] = {-pose_a->A[2], -pose_a->A[5], -pose_a->A[8]}, d[3], p[3];
    ss_touch touches[5];
    (void)a;
    ss_pose_rotate_back(pose_b, down, d);
    double across = sqrt(d[0] * d[0] + d[1] * d[1]), h = 0.5 * c->length;
    double x = across > 1e-6 ? c->radius * d[0] / across : c->radius;
    double y = across > 1e-6 ? c->radius * d[1] / across : 0;
    double z = d[2] >= 0 ? h : -h;
    const double points[5][3] = {{x, y, z}, {-x, -y, z}, {-y, x, z}, {y, -x, z}, {x, y, -z}};
    for (int i = 0; i < 5; i++) {
        uint32_t high = points[i][2] > 0;
        ss_pose_point(pose_b, points[i], p);
        touches[i] = touch_at(pose_a, p, (i == 4 ? 0 : (uint32_t)i) << 1 | high);
    }
    bool lies = fabs(d[2]) < across;
    if (lies) { /* on a line from end to end; the rest of the ends is above */
        ss_touch ends[2] = {touches[z > 0 ? 4 : 0], touches[z > 0 ? 0 : 4]};
        send(2, ends, margin, receive, user);
        return;
    }
    send(4, touches, margin, receive, user);
}
