/* pair_sphere.c: a sphere against simple shapes: the point of the shape nearest to its centre. */
#include "geometry/geometry.h"

static double radius_of(const ss_shape *sphere)
{
    return ((const ss_sphere *)sphere->self)->radius;
}

void ss_pair_sphere_sphere(const ss_shape_pair *pair)
{
    double r_a = radius_of(pair->a), r_b = radius_of(pair->b);
    double d[3], reach = r_a + r_b + pair->margin;
    ss_minus3(pair->pose_b->x, pair->pose_a->x, d);
    double square = ss_dot3(d, d);
    if (square >= reach * reach)
        return;
    double distance = sqrt(square);
    ss_contact_point contact = {.gap = distance - r_a - r_b, .n = {0, 0, 1}};
    if (distance > 0)
        ss_scale3(1 / distance, d, contact.n);
    ss_along3(pair->pose_a->x, r_a, contact.n, contact.a);
    ss_along3(pair->pose_b->x, -r_b, contact.n, contact.b);
    ss_pair_send(pair, &contact);
}

void ss_pair_plane_sphere(const ss_shape_pair *pair)
{
    const double *A = pair->pose_a->A, *c = pair->pose_b->x;
    double r = radius_of(pair->b);
    ss_contact_point contact = {.n = {A[2], A[5], A[8]}};
    double height = ss_height3(contact.n, c, pair->pose_a->x);
    contact.gap = height - r;
    if (contact.gap >= pair->margin)
        return;
    ss_along3(c, -height, contact.n, contact.a);
    ss_along3(c, -r, contact.n, contact.b);
    ss_pair_send(pair, &contact);
}

/* Sends the contact of a sphere (first) and another shape when it is within the margin. p: the other's point nearest to
 * the centre, m: outward unit normal there, distance: of the centre, negative inside; all in the other's frame. */
static void send(const ss_shape_pair *pair, const double p[3], const double m[3], double distance)
{
    double r = radius_of(pair->a);
    ss_contact_point contact = {.gap = distance - r};
    if (contact.gap >= pair->margin)
        return;
    ss_pose_rotate(pair->pose_b, m, contact.n);
    ss_scale3(-1, contact.n, contact.n);
    ss_pose_point(pair->pose_b, p, contact.b);
    ss_along3(pair->pose_a->x, r, contact.n, contact.a);
    ss_pair_send(pair, &contact);
}

void ss_pair_sphere_box(const ss_shape_pair *pair)
{
    const ss_box *box = pair->b->self;
    double c[3], p[3], m[3];
    ss_pose_point_back(pair->pose_b, pair->pose_a->x, c);
    for (int i = 0; i < 3; i++) {
        p[i] = fmin(fmax(c[i], -box->half[i]), box->half[i]);
        m[i] = c[i] - p[i];
    }
    double distance = ss_unit3(m, m);
    if (distance == 0) { /* inside: out through the nearest side */
        int axis = 0;
        for (int i = 1; i < 3; i++)
            if (box->half[i] - fabs(c[i]) < box->half[axis] - fabs(c[axis]))
                axis = i;
        m[axis] = c[axis] < 0 ? -1 : 1;
        p[axis] = m[axis] * box->half[axis];
        distance = fabs(c[axis]) - box->half[axis];
    }
    send(pair, p, m, distance);
}

void ss_pair_sphere_capsule(const ss_shape_pair *pair)
{
    const ss_capsule *capsule = pair->b->self;
    double c[3], p[3], m[3], h = 0.5 * capsule->length;
    ss_pose_point_back(pair->pose_b, pair->pose_a->x, c);
    const double core[3] = {0, 0, fmin(fmax(c[2], -h), h)};
    ss_minus3(c, core, m);
    double distance = ss_unit3(m, m);
    if (distance == 0)
        m[0] = 1;
    ss_along3(core, capsule->radius, m, p);
    send(pair, p, m, distance - capsule->radius);
}

void ss_pair_sphere_cylinder(const ss_shape_pair *pair)
{
    const ss_cylinder *cylinder = pair->b->self;
    double c[3], h = 0.5 * cylinder->length, r = cylinder->radius;
    ss_pose_point_back(pair->pose_b, pair->pose_a->x, c);
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
    send(pair, p, m, distance);
}

/* A sphere and an ellipsoid: G(s) = Σ (r z / (s + r))² - 1, with r = (h/h_min)² and z = c/h: zero for the nearest point p = h r z / (s + r). */
static double G(const double r[3], const double z[3], double s, double *slope)
{
    double sum = -1;
    *slope = 0;
    for (int i = 0; i < 3; i++) {
        double q = z[i] == 0 ? 0 : r[i] * z[i] / (s + r[i]);
        sum += q * q;
        *slope -= q == 0 ? 0 : 2 * q * q / (s + r[i]);
    }
    return sum;
}

/* Newton from the left, where the falling convex function is positive, never steps over the root. */
static double root(const double r[3], const double z[3])
{
    double s = -INFINITY, slope;
    for (int i = 0; i < 3; i++)
        s = fmax(s, r[i] * fabs(z[i]) - r[i]);
    for (int step = 0; step < 200; step++) {
        double value = G(r, z, s, &slope), next = s - value / slope;
        if (!(value > 0) || !(next > s))
            break;
        s = next;
    }
    return s;
}

/* The point of the surface nearest to c. */
static void nearest(const double h[3], const double c[3], double p[3])
{
    double r[3], z[3], least = fmin(h[0], fmin(h[1], h[2])), slope;
    int axis = h[0] == least ? 0 : h[1] == least ? 1 : 2;
    for (int i = 0; i < 3; i++) {
        r[i] = (h[i] / least) * (h[i] / least);
        z[i] = c[i] / h[i];
    }
    /* nothing along the shortest axis or one as short: the root may be at its pole s = -1 */
    bool middle = true;
    for (int i = 0; i < 3; i++)
        middle = middle && (r[i] > 1 || z[i] == 0);
    if (middle && G(r, z, -1, &slope) <= 0) {
        double rest = 1;
        for (int i = 0; i < 3; i++) {
            double q = z[i] == 0 ? 0 : r[i] * z[i] / (r[i] - 1);
            p[i] = h[i] * q;
            rest -= q * q;
        }
        p[axis] = h[axis] * sqrt(rest);
        return;
    }
    double s = root(r, z);
    for (int i = 0; i < 3; i++)
        p[i] = z[i] == 0 ? 0 : h[i] * r[i] * z[i] / (s + r[i]);
}

void ss_pair_sphere_ellipsoid(const ss_shape_pair *pair)
{
    const double *h = ((const ss_ellipsoid *)pair->b->self)->half;
    double c[3], p[3], m[3];
    ss_pose_point_back(pair->pose_b, pair->pose_a->x, c);
    nearest(h, c, p);
    for (int i = 0; i < 3; i++)
        m[i] = p[i] / (h[i] * h[i]);
    ss_unit3(m, m);
    send(pair, p, m, ss_height3(m, c, p));
}
