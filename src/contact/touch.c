/* touch.c: which function finds the touches of which pair of shapes. */
#include "contact/contact.h"

#include <math.h>

static void sphere_sphere(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                          const ss_pose *pose_b, double margin, ss_touch_fn receive, void *user)
{
    double r_a = ((const ss_sphere *)a->self)->radius, r_b = ((const ss_sphere *)b->self)->radius;
    double d[3], square = 0, reach = r_a + r_b + margin;
    for (int i = 0; i < 3; i++) {
        d[i] = pose_b->x[i] - pose_a->x[i];
        square += d[i] * d[i];
    }
    if (square >= reach * reach)
        return;
    double distance = sqrt(square);
    ss_touch touch = {.gap = distance - r_a - r_b, .n = {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        touch.n[i] = distance > 0 ? d[i] / distance : touch.n[i];
        touch.a[i] = pose_a->x[i] + r_a * touch.n[i];
        touch.b[i] = pose_b->x[i] - r_b * touch.n[i];
    }
    receive(user, &touch);
}

static void plane_sphere(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                         const ss_pose *pose_b, double margin, ss_touch_fn receive, void *user)
{
    double r = ((const ss_sphere *)b->self)->radius, height = 0;
    ss_touch touch = {.gap = 0};
    (void)a;
    for (int i = 0; i < 3; i++) {
        touch.n[i] = pose_a->A[3 * i + 2];
        height += touch.n[i] * (pose_b->x[i] - pose_a->x[i]);
    }
    touch.gap = height - r;
    if (touch.gap >= margin)
        return;
    for (int i = 0; i < 3; i++) {
        touch.a[i] = pose_b->x[i] - height * touch.n[i];
        touch.b[i] = pose_b->x[i] - r * touch.n[i];
    }
    receive(user, &touch);
}

/* Each pair stands once; the other order is turned round. */
static const struct pair {
    const ss_shape_ops *a, *b;
    ss_pair_fn touch;
} pairs[] = {
    {&ss_shape_type_sphere, &ss_shape_type_sphere, sphere_sphere},
    {&ss_shape_type_plane, &ss_shape_type_sphere, plane_sphere},
};

typedef struct turned {
    ss_touch_fn receive;
    void *user;
} turned;

static void receive_turned(void *user, const ss_touch *touch)
{
    const turned *to = user;
    ss_touch other = *touch;
    for (int i = 0; i < 3; i++) {
        other.n[i] = -touch->n[i];
        other.a[i] = touch->b[i];
        other.b[i] = touch->a[i];
    }
    to->receive(to->user, &other);
}

void ss_shapes_touch(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                     const ss_pose *pose_b, double margin, ss_touch_fn receive, void *user)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i].a == a->ops && pairs[i].b == b->ops) {
            pairs[i].touch(a, pose_a, b, pose_b, margin, receive, user);
            return;
        }
        if (pairs[i].a == b->ops && pairs[i].b == a->ops) {
            turned to = {receive, user};
            pairs[i].touch(b, pose_b, a, pose_a, margin, receive_turned, &to);
            return;
        }
    }
}
