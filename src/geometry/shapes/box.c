/* box.c: a box, given by its edge lengths. */
#include "geometry/geometry.h"
#include "geometry/vector.h"

#include <float.h>

static const ss_key keys[] = {
    {"size", SS_KEY_REALS, offsetof(ss_box, size), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Lengths of the edges along x, y and z."},
    {NULL},
};

static ss_status init(void *self, ss_context *context, const ss_shape_setup *setup)
{
    ss_box *box = self;
    if (box->size.rows != 3)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: 'size' has %d numbers; three lengths are wanted, [x, y, z]",
                          setup->owner, box->size.rows);
    for (int i = 0; i < 3; i++)
        box->half[i] = 0.5 * box->size.values[i];
    return SS_OK;
}

static void bounds(const void *self, const ss_pose *pose, ss_bounds *bounds)
{
    const ss_box *box = self;
    for (int i = 0; i < 3; i++) {
        double reach = 0;
        for (int k = 0; k < 3; k++)
            reach += fabs(pose->A[3 * i + k]) * box->half[k];
        bounds->low[i] = pose->x[i] - reach;
        bounds->high[i] = pose->x[i] + reach;
    }
}

static void support(const void *self, const double d[3], double p[3])
{
    const ss_box *box = self;
    for (int i = 0; i < 3; i++)
        p[i] = d[i] >= 0 ? box->half[i] : -box->half[i];
}

/* Corner c is at (±, ±, ±) half: bit i of c tells the sign along axis i. */
static void face_along(const void *self, const double d[3], ss_face *face)
{
    const ss_box *box = self;
    static const uint32_t order[4] = {0, 1, 3, 2};
    int axis = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
    axis = fabs(d[2]) > fabs(d[axis]) ? 2 : axis;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    bool positive = d[axis] >= 0;
    face->count = 4;
    for (int i = 0; i < 4; i++) {
        uint32_t at = order[positive ? i : 3 - i];
        face->points[i][axis] = positive ? box->half[axis] : -box->half[axis];
        face->points[i][u] = at & 1 ? box->half[u] : -box->half[u];
        face->points[i][v] = at & 2 ? box->half[v] : -box->half[v];
        face->ids[i] = (uint32_t)positive << axis | (at & 1) << u | (at >> 1) << v;
    }
    for (int i = 0; i < 3; i++)
        face->normal[i] = i != axis ? 0 : positive ? 1 : -1;
}

static void solid(const void *self, ss_solid *solid)
{
    const double *h = ((const ss_box *)self)->half;
    double V = 8 * h[0] * h[1] * h[2];
    *solid = (ss_solid){.volume = V};
    for (int i = 0; i < 3; i++) {
        double u = h[(i + 1) % 3], v = h[(i + 2) % 3];
        solid->inertia[4 * i] = V / 3 * (u * u + v * v);
    }
}

static ss_status triangles(const void *self, ss_context *context, ss_triangles *t)
{
    const ss_box *box = self;
    SS_TRY(ss_triangles_allocate(context, 8, 12, t));
    for (int c = 0; c < 8; c++)
        for (int i = 0; i < 3; i++)
            t->points[3 * c + i] = c >> i & 1 ? box->half[i] : -box->half[i];
    int *corner = t->corners;
    for (int side = 0; side < 6; side++) {
        ss_face face;
        double d[3] = {0};
        d[side / 2] = side % 2 ? 1 : -1;
        face_along(self, d, &face);
        for (int i = 0; i < 6; i++)
            *corner++ = (int)face.ids[(const int[]){0, 1, 2, 0, 2, 3}[i]];
    }
    return SS_OK;
}

const ss_shape_ops ss_shape_type_box = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "box", "A box around the origin of its frame.",
             sizeof(ss_box), keys},
    .kind = SS_SHAPE_BOX,
    .init = init,
    .bounds = bounds,
    .support = support,
    .solid = solid,
    .triangles = triangles,
    .face = face_along,
};
