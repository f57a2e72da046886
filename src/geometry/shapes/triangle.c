/* triangle.c: a triangle as a convex thing. */
#include "geometry/shapes/convex.h"
#include "geometry/vector.h"

void ss_triangle_support(const void *self, const double d[3], double p[3])
{
    const ss_triangle *t = self;
    int best = 0;
    for (int i = 1; i < 3; i++)
        if (ss_dot3(t->corners[i], d) > ss_dot3(t->corners[best], d))
            best = i;
    ss_copy3(t->corners[best], p);
}

void ss_triangle_face(const void *self, const double d[3], ss_face *face)
{
    const ss_triangle *t = self;
    double e[3], f[3];
    ss_minus3(t->corners[1], t->corners[0], e);
    ss_minus3(t->corners[2], t->corners[0], f);
    ss_cross3(e, f, face->normal);
    ss_unit3(face->normal, face->normal);
    bool below = ss_dot3(face->normal, d) < 0;
    if (below)
        ss_scale3(-1, face->normal, face->normal);
    face->count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t k = below ? 2 - i : i; /* seen from the other side */
        ss_copy3(t->corners[k], face->points[i]);
        face->ids[i] = k;
    }
}
