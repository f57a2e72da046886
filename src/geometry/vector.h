/* vector.h: vectors of space, inlined. Outputs last; an output may be an input. */
#ifndef SS_GEOMETRY_VECTOR_H
#define SS_GEOMETRY_VECTOR_H

#include <math.h>

static inline double ss_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double ss_length3(const double a[3])
{
    return sqrt(ss_dot3(a, a));
}

static inline void ss_copy3(const double a[3], double c[3])
{
    c[0] = a[0];
    c[1] = a[1];
    c[2] = a[2];
}

/* c = s a */
static inline void ss_scale3(double s, const double a[3], double c[3])
{
    c[0] = s * a[0];
    c[1] = s * a[1];
    c[2] = s * a[2];
}

/* c = a + b */
static inline void ss_add3(const double a[3], const double b[3], double c[3])
{
    c[0] = a[0] + b[0];
    c[1] = a[1] + b[1];
    c[2] = a[2] + b[2];
}

/* c = a - b */
static inline void ss_minus3(const double a[3], const double b[3], double c[3])
{
    c[0] = a[0] - b[0];
    c[1] = a[1] - b[1];
    c[2] = a[2] - b[2];
}

/* c = a + s b */
static inline void ss_along3(const double a[3], double s, const double b[3], double c[3])
{
    c[0] = a[0] + s * b[0];
    c[1] = a[1] + s * b[1];
    c[2] = a[2] + s * b[2];
}

/* c = a × b */
static inline void ss_cross3(const double a[3], const double b[3], double c[3])
{
    double x = a[1] * b[2] - a[2] * b[1];
    double y = a[2] * b[0] - a[0] * b[2];
    double z = a[0] * b[1] - a[1] * b[0];
    c[0] = x;
    c[1] = y;
    c[2] = z;
}

/* |a - b|² and |a - b| */
static inline double ss_square3(const double a[3], const double b[3])
{
    double d[3];
    ss_minus3(a, b, d);
    return ss_dot3(d, d);
}

static inline double ss_distance3(const double a[3], const double b[3])
{
    return sqrt(ss_square3(a, b));
}

/* How far p is from `origin` along n. */
static inline double ss_height3(const double n[3], const double p[3], const double origin[3])
{
    double d[3];
    ss_minus3(p, origin, d);
    return ss_dot3(n, d);
}

/* c = (q - p) × (r - p): across a triangle, twice its area long. */
static inline void ss_normal3(const double p[3], const double q[3], const double r[3], double c[3])
{
    double e[3], f[3];
    ss_minus3(q, p, e);
    ss_minus3(r, p, f);
    ss_cross3(e, f, c);
}

/* c = a / |a|; returns |a|. The zero vector stays. */
static inline double ss_unit3(const double a[3], double c[3])
{
    double length = ss_length3(a);
    ss_scale3(length > 0 ? 1 / length : 1, a, c);
    return length;
}

/* Two unit vectors that make a right-handed frame (t1, t2, n) with the unit vector n. */
static inline void ss_tangents3(const double n[3], double t1[3], double t2[3])
{
    int least = fabs(n[0]) <= fabs(n[1]) ? (fabs(n[0]) <= fabs(n[2]) ? 0 : 2)
                                         : (fabs(n[1]) <= fabs(n[2]) ? 1 : 2);
    double axis[3] = {least == 0, least == 1, least == 2};
    ss_cross3(axis, n, t1);
    ss_unit3(t1, t1);
    ss_cross3(n, t1, t2);
}

#endif
