/* pair_plane.c: a plane against everything convex. */
#include "geometry/pairs/convex.h"

enum {
    LOWEST = 0x1000 /* mark of the lowest point, above those of corners */
};

ss_contact_point ss_plane_contact(const ss_pose *plane, const ss_convex *of, const double point[3],
                                  uint32_t feature)
{
    ss_contact_point contact = {.n = {plane->A[2], plane->A[5], plane->A[8]}, .feature = feature};
    ss_pose_point(of->pose, point, contact.b);
    ss_along3(contact.b, -of->radius, contact.n, contact.b);
    contact.gap = ss_height3(contact.n, contact.b, plane->x);
    ss_along3(contact.b, -contact.gap, contact.n, contact.a);
    return contact;
}

/* The corners that the other shows to the plane, and its lowest point unless a corner is as low. */
void ss_pair_plane_convex(const ss_shape_pair *pair)
{
    ss_convex convex = ss_shape_convex(pair->b, pair->pose_b);
    const double *A = pair->pose_a->A, up[3] = {A[2], A[5], A[8]};
    double d[3], p[3], size = 0;
    ss_face face;
    ss_contact_point contacts[SS_FACE_MAX + 1];
    ss_pose_rotate_back(pair->pose_b, up, d);
    ss_scale3(-1, d, d);
    ss_convex_shows(&convex, d, &face);
    int count = face.count;
    for (int i = 0; i < count; i++) {
        contacts[i] = ss_plane_contact(pair->pose_a, &convex, face.points[i], face.ids[i]);
        size = fmax(size, ss_distance3(contacts[i].b, contacts[0].b));
    }
    convex.support(convex.self, d, p);
    contacts[count] = ss_plane_contact(pair->pose_a, &convex, p, LOWEST);
    count += contacts[count].gap < ss_least_gap(count, contacts) - 1e-9 * size;
    ss_pair_send_near(pair, ss_reduce(count, contacts, up, size), contacts);
}

void ss_cylinder_rim(const ss_cylinder *c, const double down[3], int k, double p[3])
{
    double across = sqrt(down[0] * down[0] + down[1] * down[1]);
    double x = across > 1e-6 ? c->radius * down[0] / across : c->radius;
    double y = across > 1e-6 ? c->radius * down[1] / across : 0;
    const double around[SS_RIM_POINTS][2] = {{x, y}, {-x, -y}, {-y, x}, {y, -x}};
    p[0] = around[k >> 1][0];
    p[1] = around[k >> 1][1];
    p[2] = k & 1 ? 0.5 * c->length : -0.5 * c->length;
}

/* The lowest point of each rim; around the lower one three more, a quarter turn apart, for a cylinder that stands. */
void ss_pair_plane_cylinder(const ss_shape_pair *pair)
{
    ss_convex convex = ss_shape_convex(pair->b, pair->pose_b);
    const double *A = pair->pose_a->A, down[3] = {-A[2], -A[5], -A[8]};
    double d[3], p[3];
    ss_contact_point contacts[SS_RIM_POINTS];
    ss_pose_rotate_back(pair->pose_b, down, d);
    bool lies = fabs(d[2]) < sqrt(d[0] * d[0] + d[1] * d[1]);
    int count =
        lies ? 2 : SS_RIM_POINTS; /* on a line from end to end; the rest of the ends is above */
    for (int i = 0; i < count; i++) {
        int k = lies ? i : i << 1 | (d[2] >= 0);
        ss_cylinder_rim(pair->b->self, d, k, p);
        contacts[i] = ss_plane_contact(pair->pose_a, &convex, p, (uint32_t)k);
    }
    ss_pair_send_near(pair, count, contacts);
}
