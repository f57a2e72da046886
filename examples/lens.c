/* lens.c: a shape of one's own. The part of space that two balls of one radius have in common. */
#include <stickslip/stickslip.h>

#include <float.h>
#include <math.h>

typedef struct lens {
    double radius, thickness; /* m */
    double half;              /* half the thickness, m */
    double offset;            /* from the middle to the centres of the balls, m */
    double rim;               /* radius of the circle where the balls intersect, m */
} lens;

static const ss_key keys[] = {
    {.name = "radius",
     .kind = SS_KEY_REAL,
     .offset = offsetof(lens, radius),
     .min = DBL_MIN,
     .max = INFINITY,
     .unit = "m",
     .doc = "Radius of curvature of both sides."},
    {.name = "thickness",
     .kind = SS_KEY_REAL,
     .offset = offsetof(lens, thickness),
     .min = DBL_MIN,
     .max = INFINITY,
     .unit = "m",
     .doc = "Thickness in the middle, along z."},
    {.name = NULL},
};

static ss_status init(void *self, ss_context *context, const ss_shape_setup *setup)
{
    lens *l = self;
    if (l->thickness > 2 * l->radius)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: 'thickness' is %g m; twice the radius, %g m, is the most",
                          setup->owner, l->thickness, 2 * l->radius);
    l->half = l->thickness / 2;
    l->offset = l->radius - l->half;
    l->rim = sqrt(l->half * (2 * l->radius - l->half));
    return SS_OK;
}

/* A direction within the normals of a side is met on that side, any other one on the rim. */
static void support(const void *self, const double d[3], double p[3])
{
    const lens *l = self;
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    bool side = fabs(d[2]) * l->radius >= l->offset * length;
    double reach = side ? length : hypot(d[0], d[1]), size = side ? l->radius : l->rim;
    double scale = reach > 0 ? size / reach : 0;
    p[0] = scale * d[0];
    p[1] = scale * d[1];
    p[2] = side ? scale * d[2] - copysign(l->offset, d[2]) : 0;
}

/* Along an axis of space it reaches as far as its farthest point; it is symmetric. */
static void bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    for (int i = 0; i < 3; i++) {
        const double *d = pose->A + 3 * i;
        double p[3];
        support(self, d, p);
        double reach = d[0] * p[0] + d[1] * p[1] + d[2] * p[2];
        box->low[i] = pose->x[i] - reach;
        box->high[i] = pose->x[i] + reach;
    }
}

/* At the height z a slice is a disk with radius² a(z) = ρ² - 2 e z - z²; integrals over the upper half, twice. */
static void solid(const void *self, ss_solid *solid)
{
    const lens *l = self;
    double s = l->half, e = l->offset, r2 = l->rim * l->rim, s2 = s * s, s3 = s2 * s;
    double a = r2 * s - e * s2 - s3 / 3;
    double a2 = r2 * r2 * s + 4 * e * e * s3 / 3 + s2 * s3 / 5 - 2 * r2 * e * s2 - 2 * r2 * s3 / 3 +
                e * s * s3;
    double az2 = r2 * s3 / 3 - e * s * s3 / 2 - s2 * s3 / 5;
    const double pi = acos(-1.0);
    *solid = (ss_solid){.volume = 2 * pi * a};
    solid->inertia[0] = solid->inertia[4] = pi * (a2 / 2 + 2 * az2);
    solid->inertia[8] = pi * a2;
}

static ss_status triangles(const void *self, ss_context *context, ss_triangles *t)
{
    enum { RINGS = 8 }; /* of a side, with the rim */
    const lens *l = self;
    double profile[2 * RINGS - 1][2], end = acos(l->offset / l->radius);
    for (int k = 1; k <= RINGS; k++) {
        double angle = end * k / RINGS, *low = profile[k - 1], *high = profile[2 * RINGS - 1 - k];
        low[0] = high[0] = l->radius * sin(angle);
        high[1] = l->radius * cos(angle) - l->offset;
        low[1] = -high[1];
    }
    return ss_triangles_revolve(context, 2 * RINGS - 1, profile[0], -l->half, l->half, t);
}

static const ss_shape_ops ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_shape_ops),
             .name = "lens",
             .doc = "A lens around the z axis and the origin of its frame.",
             .self_size = sizeof(lens),
             .keys = keys},
    .init = init,
    .bounds = bounds,
    .support = support,
    .solid = solid,
    .triangles = triangles,
    .strictly_convex = true,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    return ss_register_shape(context, &ops);
}
