/* product.c: C_1 × … × C_n. Its projection is that of each factor (S2.4). */
#include "base/context.h"
#include "set/set.h"

#include <stddef.h>
#include <string.h>

typedef struct product {
    ss_set_specs sets;
    int count;
    ss_set *factors;
    ss_set **owned; /* count; NULL when the factors belong to somebody else */
    int dim;
} product;

static const ss_key keys[] = {
    {"sets", SS_KEY_SETS, offsetof(product, sets), NULL, 0, 0, NULL, "",
     "The factors: names, with the dimension behind where there is a choice (half_line, disk 2), "
     "or "
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

bool ss_set_has_metric(const ss_set *set)
{
    bool all = set->ops->prox_metric != NULL;
    const product *p = set->self;
    for (int k = 0; all && set->ops == &ss_set_type_product && k < p->count; k++)
        all = ss_set_has_metric(&p->factors[k]);
    return all;
}

/* x = A⁻¹ x by elimination; A is symmetric and positive definite. */
static void eliminate(int n, double *A, double *x)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double share = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= share * A[k * n + j];
            x[i] -= share * x[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

/* One factor, which begins at row `first`, with the others where they are: the nearest point to what they make of x. */
static double visit(const product *p, const ss_set *C, int first, double scale, const double *R,
                    const double *x, double *y)
{
    int n = p->dim, dim = C->dim;
    double own[SS_SET_MAX_DIM * SS_SET_MAX_DIM], copy[SS_SET_MAX_DIM * SS_SET_MAX_DIM];
    double target[SS_SET_MAX_DIM], change = 0;
    bool alone = true;
    memset(own, 0, (size_t)(dim * dim) * sizeof *own);
    memset(target, 0, (size_t)dim * sizeof *target);
    for (int i = 0; i < dim; i++) {
        const double *row = R + (first + i) * n;
        for (int j = 0; j < n; j++)
            target[i] += j < first || j >= first + dim ? row[j] * (x[j] - y[j]) : 0;
        alone = alone && target[i] == 0;
        for (int j = 0; j < dim; j++)
            own[i * dim + j] = copy[i * dim + j] = row[first + j];
    }
    if (!alone)
        eliminate(dim, copy, target);
    for (int i = 0; i < dim; i++)
        target[i] += x[first + i];
    C->ops->prox_metric(C->self, dim, scale, own, target, target);
    for (int i = 0; i < dim; i++) {
        change = fmax(change, fabs(target[i] - y[first + i]));
        y[first + i] = target[i];
    }
    return change;
}

/* Factor by factor (S2.29). Where the metric couples them, again until nothing changes. */
static void prox_metric(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y)
{
    enum { MOST = 10000 };
    const product *p = self;
    double at[SS_SET_MAX_DIM], size = ss_ball_norm(dim, x), change = INFINITY;
    memcpy(at, x, (size_t)dim * sizeof *at);
    for (int k = 0; k < MOST && change > DBL_EPSILON * size; k++) {
        int first = 0;
        change = 0;
        for (const ss_set *C = p->factors; C < p->factors + p->count; C++) {
            change = fmax(change, visit(p, C, first, scale, R, x, at));
            first += C->dim;
        }
    }
    memcpy(y, at, (size_t)dim * sizeof *y);
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
    .type = {SS_ABI, sizeof(ss_set_ops), "product", "The cartesian product of sets.",
             sizeof(product), keys},
    .kind = SS_SET_PRODUCT,
    .init = init,
    .destroy = destroy,
    .dimensions = dimensions,
    .prox = prox,
    .prox_metric = prox_metric,
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
