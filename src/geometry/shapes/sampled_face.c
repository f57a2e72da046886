/* sampled_face.c: what a core shows that is known by its farthest points alone: those of directions around d are the
 * corners of a flat face, if it is one. */
#include "geometry/shapes/convex.h"
#include "geometry/vector.h"

enum { SAMPLES = 8 };

static int distinct(double p[SAMPLES][3], uint32_t ids[SAMPLES], double same)
{
    int count = 0;
    for (int i = 0; i < SAMPLES; i++) {
        bool known = false;
        for (int k = 0; k < count; k++) {
            double d[3];
            ss_minus3(p[i], p[k], d);
            known = known || ss_length3(d) <= same;
        }
        if (known)
            continue;
        ss_copy3(p[i], p[count]);
        ids[count++] = (uint32_t)i;
    }
    return count;
}

/* Twice the area of the polygon, as a vector across it. */
static void area_of(int count, double p[SAMPLES][3], double m[3])
{
    m[0] = m[1] = m[2] = 0;
    for (int i = 1; i + 1 < count; i++) {
        double e[3], f[3], n[3];
        ss_minus3(p[i], p[0], e);
        ss_minus3(p[i + 1], p[0], f);
        ss_cross3(e, f, n);
        ss_add3(m, n, m);
    }
}

static double spread(double p[SAMPLES][3])
{
    double most = 0, d[3];
    for (int i = 1; i < SAMPLES; i++) {
        ss_minus3(p[i], p[0], d);
        most = fmax(most, ss_length3(d));
    }
    return most;
}

void ss_sampled_face(const ss_convex *of, const double d[3], ss_face *face)
{
    const double tilt = 0.02, first = 0.3, eighth = 0.7853981633974483;
    double n[3], t[2][3], e[3], p[SAMPLES][3], q[3];
    ss_unit3(d, n);
    ss_tangents3(n, t[0], t[1]);
    for (int i = 0; i < SAMPLES; i++) {
        ss_along3(n, tilt * cos(first + i * eighth), t[0], e);
        ss_along3(e, tilt * sin(first + i * eighth), t[1], e);
        of->support(of->self, e, p[i]);
    }
    double size = spread(p);
    face->count = distinct(p, face->ids, 1e-9 * size);
    area_of(face->count, p, face->normal);
    bool flat = ss_unit3(face->normal, face->normal) > 1e-6 * size * size && face->count >= 3;
    if (flat) { /* a curved surface rises above its chords */
        of->support(of->self, face->normal, q);
        double height = ss_dot3(face->normal, q);
        for (int i = 0; i < face->count; i++)
            flat = flat && height - ss_dot3(face->normal, p[i]) <= 1e-9 * size;
    }
    if (!flat) {
        face->count = 1;
        face->ids[0] = 0;
        of->support(of->self, d, p[0]);
    }
    for (int i = 0; i < face->count; i++)
        ss_copy3(p[i], face->points[i]);
}
