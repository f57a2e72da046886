/* law_friction.c: dry friction with a constant bound or with Coulomb's, the same in all
 * directions or not. */
#include "types/refuse.h"
#include "types/types.h"

#include <math.h>

typedef struct friction {
    ss_matrix mu, bound;
    ss_text normal;
    ss_set *own; /* ellipse or ellipsoid; NULL: the same in all directions */
    const ss_set *set;
    double scale; /* N, or mu */
    bool coulomb;
} friction;

static const ss_key keys[] = {
    {"mu", SS_KEY_REALS, offsetof(friction, mu), "", 0, INFINITY, NULL, "",
     "Coulomb's coefficient: the bound is mu times the normal impulse; different numbers "
     "for two or three rows make an ellipse or an ellipsoid."},
    {"bound", SS_KEY_REALS, offsetof(friction, bound), "", 0, INFINITY, NULL, "N",
     "Constant bound of the friction force, instead of mu; one number, or one for each row."},
    {"normal", SS_KEY_TEXT, offsetof(friction, normal), "", 0, 0, NULL, "",
     "Group whose law gives the normal impulse (gap, or element.gap); not given: the only "
     "geometric group of one row in the same element."},
    {.name = NULL},
};

/* Different bounds along the rows. */
static ss_status make_ellipse(ss_setup *setup, friction *self, const char *key,
                              const ss_matrix *axes)
{
    ss_context *context = ss_setup_context(setup);
    ss_args *args;
    for (int i = 0; i < axes->rows; i++)
        if (!(axes->values[i] > 0))
            return ss_refuse(setup, "all numbers of '%s' must be > 0", key);
    SS_TRY(ss_args_create(context, &args));
    ss_status status = ss_args_set_reals(args, "axes", axes->rows, axes->values);
    const char *type = axes->rows == 2 ? "ellipse" : "ellipsoid";
    if (status == SS_OK)
        status = ss_set_create(context, type, args, NULL, axes->rows, &self->own);
    ss_args_destroy(args);
    self->set = self->own;
    self->scale = 1.0;
    return status;
}

static bool all_equal(const ss_matrix *given)
{
    for (int i = 1; i < given->rows; i++)
        if (given->values[i] != given->values[0])
            return false;
    return true;
}

static ss_status make_set(ss_setup *setup, friction *self, const char *key, const ss_matrix *given)
{
    int dim = ss_setup_dim(setup);
    if (given->rows != 1 && given->rows != dim)
        return ss_refuse(setup, "'%s' must be one number%s, not %d", key,
                         dim == 2   ? ", or two numbers"
                         : dim == 3 ? ", or three numbers"
                                    : "",
                         given->rows);
    if (given->rows > 1 && !all_equal(given))
        return make_ellipse(setup, self, key, given);
    self->set = dim == 1 ? ss_set_interval() : ss_set_disk(dim);
    self->scale = given->values[0];
    return SS_OK;
}

static ss_status init(void *opaque, ss_setup *setup)
{
    friction *self = opaque;
    int dim = ss_setup_dim(setup);
    if (dim > 3)
        return ss_refuse(setup, "friction is for 1 to 3 rows, not %d", dim);
    if ((self->mu.rows > 0) == (self->bound.rows > 0))
        return ss_refuse(setup, "give either 'mu' (Coulomb) or 'bound' (a constant, in N)");
    self->coulomb = self->mu.rows > 0;
    if (!self->coulomb && self->normal.text)
        return ss_refuse(setup, "'normal' goes with 'mu', not with 'bound'");
    if (self->coulomb)
        SS_TRY(ss_setup_scale_from(setup, self->normal.text ? &self->normal : NULL));
    return self->coulomb ? make_set(setup, self, "mu", &self->mu)
                         : make_set(setup, self, "bound", &self->bound);
}

static void destroy(void *opaque)
{
    friction *self = opaque;
    ss_set_destroy(self->own);
}

static ss_status set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const friction *self = opaque;
    *set = (ss_law_set){self->set, self->coulomb ? self->scale : self->scale * at->dt};
    return SS_OK;
}

const ss_law_ops ss_friction_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "friction",
             "Dry friction, planar or spatial, with Coulomb's or a constant bound.",
             sizeof(friction), keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_CONSTANT_SET,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = init,
    .destroy = destroy,
    .set = set,
};
