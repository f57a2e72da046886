/* pair_sphere.c: a sphere against simple shapes: the point of the shape nearest to its centre. */
#include "geometry/pairs/pair_sphere.h"
#include "geometry/vector.h"

void ss_pair_sphere_sphere(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                           const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                           void *user)
{
    double r_a = ((const ss_sphere *)a->self)->radius, r_b = ((const ss_sphere *)b->self)->radius;
    double d[3], reach = r_a + r_b + margin;
    ss_minus3(pose_b->x, pose_a->x, d);
    double square = ss_dot3(d, d);
    if (square >= reach * reach)
        return;
    double distance = sqrt(square);
    ss_contact_point contact = {.gap = distance - r_a - r_b, .n = {0, 0, 1}};
    if (distance > 0)
        ss_scale3(1 / distance, d, contact.n);
    ss_along3(pose_a->x, r_a, contact.n, contact.a);
    ss_along3(pose_b->x, -r_b, contact.n, contact.b);
    receive(user, &contact);
}

void ss_sphere_centre(const ss_pose *pose, const ss_pose *sphere, double c[3])
{
    double d[3];
    ss_minus3(sphere->x, pose->x, d);
    ss_pose_rotate_back(pose, d, c);
}

void ss_sphere_send(const ss_sphere *sphere, const ss_pose *pose_a, const ss_pose *pose_b,
                    const double p[3], const double m[3], double distance, double margin,
                    ss_contact_point_fn receive, void *user)
{
    ss_contact_point contact = {.gap = distance - sphere->radius};
    if (contact.gap >= margin)
        return;
    ss_pose_rotate(pose_b, m, contact.n);
    ss_scale3(-1, contact.n, contact.n);
    ss_pose_point(pose_b, p, contact.b);
    ss_along3(pose_a->x, sphere->radius, contact.n, contact.a);
    receive(user, &contact);
}

void ss_pair_sphere_box(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                        const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                        void *user)
{
    const ss_box *box = b->self;
    double c[3], p[3], m[3] = {0}, distance = 0;
    ss_sphere_centre(pose_b, pose_a, c);
    for (int i = 0; i < 3; i++) {
        p[i] = fmin(fmax(c[i], -box->half[i]), box->half[i]);
        m[i] = c[i] - p[i];
    }
    distance = ss_unit3(m, m);
    if (distance == 0) { /* inside: out through the nearest side */
        int axis = 0;
        for (int i = 1; i < 3; i++)
            if (box->half[i] - fabs(c[i]) < box->half[axis] - fabs(c[axis]))
                axis = i;
        m[axis] = c[axis] < 0 ? -1 : 1;
        p[axis] = m[axis] * box->half[axis];
        distance = fabs(c[axis]) - box->half[axis];
    }
    ss_sphere_send(a->self, pose_a, pose_b, p, m, distance, margin, receive, user);
}

void ss_pair_sphere_capsule(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                            const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                            void *user)
{
    const ss_capsule *capsule = b->self;
    double c[3], p[3], m[3], h = 0.5 * capsule->length;
    ss_sphere_centre(pose_b, pose_a, c);
    const double core[3] = {0, 0, fmin(fmax(c[2], -h), h)};
    ss_minus3(c, core, m);
    double distance = ss_unit3(m, m);
    if (distance == 0)
        m[0] = 1;
    ss_along3(core, capsule->radius, m, p);
    ss_sphere_send(a->self, pose_a, pose_b, p, m, distance - capsule->radius, margin, receive,
                   user);
}

void ss_pair_sphere_cylinder(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                             const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                             void *user)
{
    const ss_cylinder *cylinder = b->self;
    double c[3], h = 0.5 * cylinder->length, r = cylinder->radius;
    ss_sphere_centre(pose_b, pose_a, c);
    double off = sqrt(c[0] * c[0] + c[1] * c[1]), up = c[2] < 0 ? -1 : 1;
    double x = off > 0 ? c[0] / off : 1, y = off > 0 ? c[1] / off : 0; /* away from the axis */
    double side = off - r, end = fabs(c[2]) - h, distance = fmax(side, end);
    double p[3] = {c[0], c[1], c[2]}, m[3] = {0, 0, up};
    if (side > 0 || side >= end) {
        p[0] = r * x;
        p[1] = r * y;
        ss_copy3((double[]){x, y, 0}, m);
    }
    if (end > 0 || end > side)
        p[2] = up * h;
    if (side > 0 && end > 0) { /* nearest to the rim */
        distance = sqrt(side * side + end * end);
        ss_copy3((double[]){side / distance * x, side / distance * y, end / distance * up}, m);
    } else if (end > side) {
        ss_copy3((double[]){0, 0, up}, m);
    }
    ss_sphere_send(a->self, pose_a, pose_b, p, m, distance, margin, receive, user);
}
