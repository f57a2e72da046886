/* square_friction.c: a set of one's own, and a law that uses it.
 *
 * The carriage of a drawing machine runs on two crossed pairs of rails, and each pair rubs on its own. Together they
 * admit all friction forces of a square, |λ_1| <= bound and |λ_2| <= bound: a carriage that moves along the diagonal
 * is held back √2 times as strongly.
 */
#include <stickslip/stickslip.h>

#include <math.h>

/* ---- The set { x | |x_i| <= 1 }, scaled ---- */

static void square_prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)self;
    for (int i = 0; i < dim; i++)
        y[i] = fmin(fmax(x[i], -scale), scale);
}

static bool square_contains(const void *self, int dim, double scale, const double *x,
                            double tolerance)
{
    (void)self;
    double squares = 0.0;
    for (int i = 0; i < dim; i++) {
        double outside = fmax(fabs(x[i]) - scale, 0.0);
        squares += outside * outside;
    }
    return sqrt(squares) <= tolerance;
}

static double square_support(const void *self, int dim, double scale, const double *v)
{
    (void)self;
    double sum = 0.0;
    for (int i = 0; i < dim; i++)
        sum += fabs(v[i]);
    return scale * sum;
}

static const ss_set_ops square = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_set_ops),
             .name = "square",
             .doc = "All vectors whose components are at most 1, times the scale."},
    .prox = square_prox,
    .contains = square_contains,
    .support = square_support,
};

/* ---- The law ---- */

typedef struct friction {
    double bound;
    ss_set *set;
} friction;

static const ss_key friction_keys[] = {
    {.name = "bound",
     .kind = SS_KEY_REAL,
     .offset = offsetof(friction, bound),
     .max = INFINITY,
     .unit = "N",
     .doc = "Bound of each component of the friction force."},
    {.name = NULL},
};

static ss_status friction_init(void *self, ss_setup *setup)
{
    friction *law = self;
    return ss_set_create(ss_setup_context(setup), "square", NULL, NULL, ss_setup_dim(setup),
                         &law->set);
}

static void friction_destroy(void *self)
{
    friction *law = self;
    ss_set_destroy(law->set);
}

static ss_status friction_set(const void *self, const ss_law_at *at, ss_law_set *set)
{
    const friction *law = self;
    *set = (ss_law_set){law->set, law->bound * at->dt}; /* an impulse, N s */
    return SS_OK;
}

static const ss_law_ops square_friction = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_law_ops),
             .name = "square_friction",
             .doc = "Friction of crossed slides: every component has its own bound.",
             .self_size = sizeof(friction),
             .keys = friction_keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_CONSTANT_SET,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = friction_init,
    .destroy = friction_destroy,
    .set = friction_set,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    SS_TRY(ss_register_set(context, &square));
    return ss_register_law(context, &square_friction);
}
