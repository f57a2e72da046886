/* parabola.c: an element of one's own. A point above the curve y = curvature/2 x² in the plane.
 *
 * The gap is the distance to the nearest point of the curve, the foot; its derivative is the velocity along the
 * normal n there, so that W is n for the gap and the tangent for the slip. The foot is found once for each place,
 * in `geometry`, and kept in the cache.
 */
#include <stickslip/stickslip.h>

#include <math.h>
#include <string.h>

typedef struct parabola {
    ss_text system;
    double curvature;
    size_t cache; /* where the foot stands in the element's cache */
} parabola;

typedef struct foot {
    double s; /* x of the foot */
    double normal[2], tangent[2];
} foot;

static const ss_key keys[] = {
    {.name = "system",
     .kind = SS_KEY_TEXT,
     .offset = offsetof(parabola, system),
     .doc = "The point, a system of type point with dim 2."},
    {.name = "curvature",
     .kind = SS_KEY_REAL,
     .offset = offsetof(parabola, curvature),
     .unit = "1/m",
     .doc = "Curvature at the lowest point, positive for a bowl."},
    {.name = NULL},
};

static ss_status init(void *self, ss_setup *setup)
{
    parabola *p = self;
    int local, nq, nu;
    SS_TRY(ss_setup_connect(setup, &p->system, &local));
    ss_setup_connected(setup, local, &nq, &nu);
    if (nq != 2 || nu != 2)
        return ss_fail_at(ss_setup_context(setup), SS_INPUT, p->system.where,
                          "%s: '%s' must be a system with two coordinates", ss_setup_owner(setup),
                          p->system.text);
    SS_TRY(ss_setup_cache(setup, sizeof(foot), &p->cache));
    SS_TRY(ss_setup_rows(setup, "gap", 1, SS_GEOMETRIC));
    return ss_setup_rows(setup, "slip", 1, SS_KINEMATIC);
}

static foot *cached(const parabola *p, const ss_at *at)
{
    return (foot *)(void *)((char *)at->cache + p->cache);
}

/* The root s of (s - x) + k s (k s²/2 - y), where the curve is nearest to (x, y), by Newton's method. */
static double find_foot(double k, double x, double y)
{
    double s = x;
    for (int i = 0; i < 50; i++) {
        double f = s - x + k * s * (0.5 * k * s * s - y);
        double step = f / (1.0 + 1.5 * k * k * s * s - k * y);
        s -= step;
        if (fabs(step) <= 1e-15 * (1.0 + fabs(s)))
            break;
    }
    return s;
}

static ss_status geometry(const void *self, const ss_at *at)
{
    const parabola *p = self;
    foot *f = cached(p, at);
    f->s = find_foot(p->curvature, at->q[0][0], at->q[0][1]);
    double slope = p->curvature * f->s;
    double length = hypot(1.0, slope);
    f->tangent[0] = 1.0 / length;
    f->tangent[1] = slope / length;
    f->normal[0] = -f->tangent[1];
    f->normal[1] = f->tangent[0];
    return SS_OK;
}

static ss_status gap(const void *self, const ss_at *at, double *g)
{
    const parabola *p = self;
    const foot *f = cached(p, at);
    double dx = at->q[0][0] - f->s;
    double dy = at->q[0][1] - 0.5 * p->curvature * f->s * f->s;
    g[0] = f->normal[0] * dx + f->normal[1] * dy;
    return SS_OK;
}

static ss_status W(const void *self, const ss_at *at, double *const *W)
{
    const parabola *p = self;
    const foot *f = cached(p, at);
    memcpy(&W[0][0], f->normal, sizeof f->normal);
    memcpy(&W[0][2], f->tangent, sizeof f->tangent);
    return SS_OK;
}

static const ss_element_ops ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_element_ops),
             .name = "parabola",
             .doc = "A point above a parabola: groups gap and slip.",
             .self_size = sizeof(parabola),
             .keys = keys},
    .init = init,
    .geometry = geometry,
    .gap = gap,
    .W = W,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    return ss_register_element(context, &ops);
}
