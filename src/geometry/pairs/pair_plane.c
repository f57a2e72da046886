/* pair_plane.c: a plane against everything convex. */
#include "geometry/geometry.h"
#include "geometry/pairs/manifold.h"
#include "geometry/shapes/convex.h"
#include "geometry/vector.h"

enum {
    LOWEST = 0x1000 /* mark of the lowest point, above those of corners */
};

/* The contact of the plane with the point p of the other's surface (in space). */
static ss_contact_point contact_at(const ss_pose *plane, const double p[3], uint32_t feature)
{
    double d[3], n[3] = {plane->A[2], plane->A[5], plane->A[8]};
    ss_minus3(p, plane->x, d);
    ss_contact_point contact = {.gap = ss_dot3(n, d), .feature = feature};
    ss_copy3(n, contact.n);
    ss_copy3(p, contact.b);
    ss_along3(p, -contact.gap, n, contact.a);
    return contact;
}

void ss_pair_plane_sphere(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                          const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                          void *user)
{
    double r = ((const ss_sphere *)b->self)->radius;
    (void)a;
    ss_contact_point contact = contact_at(pose_a, pose_b->x, 0); /* of the centre */
    contact.gap -= r;
    if (contact.gap >= margin)
        return;
    ss_along3(contact.b, -r, contact.n, contact.b);
    receive(user, &contact);
}

static void send(int count, const ss_contact_point *contacts, double margin,
                 ss_contact_point_fn receive, void *user)
{
    for (int i = 0; i < count; i++)
        if (contacts[i].gap < margin)
            receive(user, &contacts[i]);
}

/* A point of the core, rounded off. */
static ss_contact_point contact_of(const ss_convex *convex, const ss_pose *plane,
                                   const double point[3], uint32_t feature)
{
    double p[3], up[3] = {plane->A[2], plane->A[5], plane->A[8]};
    ss_pose_point(convex->pose, point, p);
    ss_along3(p, -convex->radius, up, p);
    return contact_at(plane, p, feature);
}

/* The corners that the other shows to the plane, and its lowest point unless a corner is as low. */
void ss_pair_plane_convex(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                          const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                          void *user)
{
    ss_convex convex = ss_shape_convex(b, pose_b);
    double up[3] = {pose_a->A[2], pose_a->A[5], pose_a->A[8]}, d[3], p[3], size = 0;
    double least = INFINITY;
    ss_face face;
    ss_contact_point contacts[SS_FACE_MAX + 1];
    (void)a;
    ss_pose_rotate_back(pose_b, up, d);
    ss_scale3(-1, d, d);
    ss_convex_shows(&convex, d, &face);
    for (int i = 0; i < face.count; i++) {
        contacts[i] = contact_of(&convex, pose_a, face.points[i], face.ids[i]);
        ss_minus3(contacts[i].b, contacts[0].b, p);
        size = fmax(size, ss_length3(p));
        least = fmin(least, contacts[i].gap);
    }
    convex.support(convex.self, d, p);
    int count = face.count;
    contacts[count] = contact_of(&convex, pose_a, p, LOWEST);
    if (contacts[count].gap < least - 1e-9 * size)
        count++;
    count = ss_reduce(count, contacts, up, size);
    send(count, contacts, margin, receive, user);
}

/* The lowest point of each rim; around the lower one three more, a quarter turn apart, for a cylinder that stands.
 * One that stands upright to 1e-6 has no lowest point that could be told: the x axis of its frame decides. */
void ss_pair_plane_cylinder(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                            const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                            void *user)
{
    const ss_cylinder *c = b->self;
    double down[3] = {-pose_a->A[2], -pose_a->A[5], -pose_a->A[8]}, d[3], p[3];
    ss_contact_point contacts[5];
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
        contacts[i] = contact_at(pose_a, p, (i == 4 ? 0 : (uint32_t)i) << 1 | high);
    }
    bool lies = fabs(d[2]) < across;
    if (lies) { /* on a line from end to end; the rest of the ends is above */
        ss_contact_point ends[2] = {contacts[z > 0 ? 4 : 0], contacts[z > 0 ? 0 : 4]};
        send(2, ends, margin, receive, user);
        return;
    }
    send(4, contacts, margin, receive, user);
}
