/* plane.c */
#include "contact/contact.h"

#include <math.h>

static void bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    (void)self;
    for (int i = 0; i < 3; i++) {
        box->low[i] = -INFINITY;
        box->high[i] = INFINITY;
    }
    for (int i = 0; i < 3; i++) { /* a side along an axis bounds it */
        double n = pose->A[3 * i + 2];
        if (n == 1)
            box->high[i] = pose->x[i];
        if (n == -1)
            box->low[i] = pose->x[i];
    }
}

static ss_status triangles(const void *self, ss_context *context, ss_triangles *t)
{
    (void)self, (void)context;
    *t = (ss_triangles){0};
    return SS_OK;
}

const ss_shape_ops ss_shape_type_plane = {
    .type = {sizeof(ss_shape_ops), "plane", "All of space below z = 0 of its frame.", 0, NULL},
    .bounds = bounds,
    .triangles = triangles,
};
