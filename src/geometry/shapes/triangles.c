/* triangles.c: surfaces made of triangles. */
#include "base/context.h"
#include "geometry/geometry.h"
#include "geometry/vector.h"

enum { SECTORS = 32 };

ss_status ss_triangles_allocate(ss_context *context, int n_points, int n_triangles, ss_triangles *t)
{
    void *points, *corners;
    *t = (ss_triangles){0};
    SS_TRY(ss_allocate(context, 3 * (size_t)n_points, sizeof *t->points, &points));
    ss_status status = ss_allocate(context, 3 * (size_t)n_triangles, sizeof *t->corners, &corners);
    if (status != SS_OK) {
        ss_release(context, points);
        return status;
    }
    *t = (ss_triangles){n_points, n_triangles, points, corners};
    return SS_OK;
}

static void corners_of(int *at, int i, int j, int k)
{
    at[0] = i;
    at[1] = j;
    at[2] = k;
}

ss_status ss_triangles_revolve(ss_context *context, int rings, const double *profile, double bottom,
                               double top, ss_triangles *t)
{
    SS_TRY(ss_triangles_allocate(context, rings * SECTORS + 2, 2 * rings * SECTORS, t));
    double *p = t->points;
    for (int k = 0; k < rings; k++)
        for (int i = 0; i < SECTORS; i++, p += 3) {
            double angle = 2 * acos(-1.0) * i / SECTORS;
            p[0] = profile[2 * k] * cos(angle);
            p[1] = profile[2 * k] * sin(angle);
            p[2] = profile[2 * k + 1];
        }
    ss_copy3((double[]){0, 0, bottom}, p);
    ss_copy3((double[]){0, 0, top}, p + 3);
    int *c = t->corners, last = rings * SECTORS;
    for (int i = 0; i < SECTORS; i++) {
        int next = (i + 1) % SECTORS, high = (rings - 1) * SECTORS;
        corners_of(c, last, next, i);
        corners_of(c + 3, last + 1, high + i, high + next);
        c += 6;
        for (int k = 0; k + 1 < rings; k++, c += 6) {
            int low = k * SECTORS, up = low + SECTORS;
            corners_of(c, low + i, low + next, up + next);
            corners_of(c + 3, low + i, up + next, up + i);
        }
    }
    return SS_OK;
}

ss_status ss_triangles_ball(ss_context *context, ss_triangles *triangles)
{
    enum { RINGS = SECTORS / 2 - 1 };
    double profile[RINGS][2];
    for (int k = 0; k < RINGS; k++) {
        double angle = acos(-1.0) * (k + 1) / (RINGS + 1);
        profile[k][0] = sin(angle);
        profile[k][1] = -cos(angle);
    }
    return ss_triangles_revolve(context, RINGS, profile[0], -1, 1, triangles);
}
