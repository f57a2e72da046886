/* mpr.c: a way out of C by the portal that the ray from C's inside through the origin leaves by (libccd's MPR). It
 * is not always the shortest one, but it never fails to find one. */
#include "geometry/pairs/minkowski.h"

#include <ccd/ccd.h>

static void farthest(const ss_convex *of, const double offset[3], const double d[3], double p[3])
{
    double e[3];
    ss_pose_rotate_back(of->pose, d, e);
    of->support(of->self, e, p);
    ss_pose_rotate(of->pose, p, p);
    ss_add3(p, offset, p);
}

static const double nowhere[3] = {0, 0, 0};

static void support_a(const void *difference, const ccd_vec3_t *d, ccd_vec3_t *p)
{
    const ss_difference *C = difference;
    farthest(C->a, nowhere, d->v, p->v);
}

static void support_b(const void *difference, const ccd_vec3_t *d, ccd_vec3_t *p)
{
    const ss_difference *C = difference;
    farthest(C->b, C->offset, d->v, p->v);
}

/* A point inside: the mean of the farthest points along the axes. */
static void middle(const ss_convex *of, const double offset[3], double c[3])
{
    c[0] = c[1] = c[2] = 0;
    for (int i = 0; i < 6; i++) {
        double d[3] = {0}, p[3];
        d[i / 2] = i % 2 ? 1 : -1;
        farthest(of, offset, d, p);
        ss_along3(c, 1.0 / 6, p, c);
    }
}

static void middle_a(const void *difference, ccd_vec3_t *c)
{
    const ss_difference *C = difference;
    middle(C->a, nowhere, c->v);
}

static void middle_b(const void *difference, ccd_vec3_t *c)
{
    const ss_difference *C = difference;
    middle(C->b, C->offset, c->v);
}

bool ss_mpr(const ss_difference *C, ss_simplex *simplex, double n[3])
{
    ccd_t ccd;
    ccd_real_t depth;
    ccd_vec3_t direction, position;
    CCD_INIT(&ccd);
    ccd.support1 = support_a;
    ccd.support2 = support_b;
    ccd.center1 = middle_a;
    ccd.center2 = middle_b;
    ccd.max_iterations = 100;
    ccd.mpr_tolerance = 1e-6;
    if (ccdMPRPenetration(C, C, &ccd, &depth, &direction, &position) != 0)
        return false;
    if (!(ss_unit3(direction.v, n) > 0))
        return false;
    simplex->count = 1;
    simplex->weight[0] = 1;
    ss_difference_support(C, n, &simplex->v[0]);
    return true;
}
