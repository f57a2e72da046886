/* pair_ellipsoid.c: a sphere against an ellipsoid. */
#include "geometry/pairs/pair_sphere.h"
#include "geometry/vector.h"

/* G(s) = Σ (r z / (s + r))² - 1, with r = (h/h_min)² and z = c/h: zero for the nearest point p = h r z / (s + r). */
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
    bool middle =
        true; /* nothing along the shortest axis or one as short: the root may be at its pole s = -1 */
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

void ss_pair_sphere_ellipsoid(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                              const ss_pose *pose_b, double margin, ss_contact_point_fn receive,
                              void *user)
{
    const double *h = ((const ss_ellipsoid *)b->self)->half;
    double c[3], p[3], m[3], d[3];
    ss_sphere_centre(pose_b, pose_a, c);
    nearest(h, c, p);
    for (int i = 0; i < 3; i++)
        m[i] = p[i] / (h[i] * h[i]);
    ss_unit3(m, m);
    ss_minus3(c, p, d);
    ss_sphere_send(a->self, pose_a, pose_b, p, m, ss_dot3(m, d), margin, receive, user);
}
