/* product.c: C_1 × … × C_n. Its projection is that of each factor (S2.4). */
#include "base/context.h"
#include "set/set.h"

#include <stddef.h>

typedef struct product {
    ss_set_specs sets;
    int count;
    ss_set *factors;
    ss_set **owned; /* count; NULL when the factors belong to somebody else */
    int dim;
} product;

static const ss_key keys[] = {
    {"sets", SS_KEY_SETS, offsetof(product, sets), NULL, 0, 0, NULL, "",
     "The factors: names, with the dimension behind where there is a choice (half_line, disk 2), or "
     "sets with their parameters."},
    {.name = NULL},
};

static ss_status add(product *p, ss_context *context, const ss_set *factor)
{
    if (factor->dim > SS_SET_MAX_DIM - p->dim)
        return ss_fail(context, SS_INPUT, "set 'product': its dimension must not exceed %d",
                       SS_SET_MAX_DIM);
    p->dim += factor->dim;
    p->factors[p->count++] = *factor;
    return SS_OK;
}

static ss_status init(void *self, ss_context *context)
{
    product *p = self;
    int count = p->sets.rows;
    if (count < 1)
        return ss_fail(context, SS_INPUT, "set 'product': sets must name at least one set");
    SS_TRY(SS_NEW(context, count, &p->owned));
    SS_TRY(SS_NEW(context, count, &p->factors));
    for (int i = 0; i < count; i++) {
        SS_TRY(ss_set_create_from(context, &p->sets.items[i], 0, &p->owned[i]));
        SS_TRY(add(p, context, p->owned[i]));
    }
    return SS_OK;
}

static void destroy(void *self, ss_context *context)
{
    product *p = self;
    for (int i = 0; p->owned && i < p->sets.rows; i++)
        ss_set_destroy(p->owned[i]);
    ss_release(context, p->owned);
    ss_release(context, p->factors);
}

static void dimensions(const void *self, int *least, int *most)
{
    const product *p = self;
    *least = *most = p->dim;
}

static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)dim;
    const product *p = self;
    for (const ss_set *C = p->factors; C < p->factors + p->count; C++) {
        ss_set_prox(C, scale, x, y);
        x += C->dim;
        y += C->dim;
    }
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    return ss_set_near(&ss_set_type_product, self, dim, scale, x, tolerance);
}

static double support(const void *self, int dim, double scale, const double *v)
{
    (void)dim;
    const product *p = self;
    double sum = 0;
    for (const ss_set *C = p->factors; C < p->factors + p->count; C++) {
        sum += ss_set_support(C, scale, v);
        v += C->dim;
    }
    return sum;
}

const ss_set_ops ss_set_type_product = {
    .type = {SS_ABI, sizeof(ss_set_ops), "product",
             "The cartesian product of sets.", sizeof(product), keys},
    .kind = SS_SET_PRODUCT,
    .init = init,
    .destroy = destroy,
    .dimensions = dimensions,
    .prox = prox,
    .contains = contains,
    .support = support,
};

static ss_status fill(ss_context *context, int count, const ss_set *const *factors,
                      ss_owned_set *owned)
{
    product *p = owned->self;
    SS_TRY(SS_NEW(context, count, &p->factors));
    for (int i = 0; i < count; i++)
        SS_TRY(add(p, context, factors[i]));
    owned->set.dim = p->dim;
    owned->set.kind = SS_SET_PRODUCT;
    return SS_OK;
}

ss_status ss_set_product_create(ss_context *context, int count, const ss_set *const *factors,
                                ss_set **set)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, factors);
    SS_GIVEN(context, set);
    ss_owned_set *owned;
    *set = NULL;
    if (count < 1)
        return ss_fail(context, SS_INPUT, "set 'product': it needs at least one set");
    SS_TRY(ss_set_allocate(context, &ss_set_type_product, &owned));
    ss_status status = fill(context, count, factors, owned);
    if (status == SS_OK)
        *set = &owned->set;
    else
        ss_set_destroy(&owned->set);
    return status;
}
