/* properties.h: what every projection to a convex set must fulfil, whatever the set. */
#ifndef SS_TESTS_SET_PROPERTIES_H
#define SS_TESTS_SET_PROPERTIES_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "support/random.h"
#include "support/test.h"

#include <stickslip/set.h>

static inline ss_context *new_context(void)
{
    ss_context *context;
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    assert_int_equal(ss_register_builtin_sets(context), SS_OK);
    return context;
}

/* A set with one list of numbers for parameter. */
static inline ss_set *new_set(ss_context *context, const char *name, const char *key, int rows,
                              int columns, const double *values)
{
    ss_args *args;
    ss_set *set;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_matrix(args, key, rows, columns, values), SS_OK);
    ss_status status = ss_set_create(context, name, args, NULL, 0, &set);
    if (status != SS_OK)
        fail_msg("%s", ss_context_message(context));
    ss_args_destroy(args);
    return set;
}

static inline double dot(int dim, const double *a, const double *b)
{
    long double sum = 0;
    for (int i = 0; i < dim; i++)
        sum += (long double)a[i] * (long double)b[i];
    return (double)sum;
}

static inline double norm(int dim, const double *a)
{
    return sqrt(dot(dim, a, a));
}

static inline double distance(int dim, const double *a, const double *b)
{
    double difference[SS_SET_MAX_DIM];
    for (int i = 0; i < dim; i++)
        difference[i] = a[i] - b[i];
    return norm(dim, difference);
}

/* Fails with the numbers in the message. */
#define CHECK(condition, ...)                      \
    do {                                           \
        if (!(condition))                          \
            fail_msg(#condition ": " __VA_ARGS__); \
    } while (0)

/* (x - y)ᵀ(w - y) <= 0 for w in the set (S2.10, S2.17), to the rounding of the products. */
static inline void check_variational(int dim, const double *x, const double *y, const double *w)
{
    double v[SS_SET_MAX_DIM], d[SS_SET_MAX_DIM];
    for (int i = 0; i < dim; i++) {
        v[i] = x[i] - y[i];
        d[i] = w[i] - y[i];
    }
    double size = norm(dim, x) * (norm(dim, y) + norm(dim, w));
    CHECK(dot(dim, v, d) <= 16 * DBL_EPSILON * size, "%g of %g", dot(dim, v, d), size);
}

/* In the set, again the same when projected again, the same in place, and the distance vector. */
static inline void check_idempotent(const ss_set *set, double scale, const double *x,
                                    const double *y)
{
    double again[SS_SET_MAX_DIM], v[SS_SET_MAX_DIM];
    size_t bytes = (size_t)set->dim * sizeof *y;
    ss_set_prox(set, scale, y, again);
    for (int i = 0; i < set->dim; i++)
        CHECK(again[i] == y[i], "%s: y[%d] = %.17g, then %.17g", set->ops->type.name, i, y[i],
              again[i]);
    CHECK(ss_set_contains(set, scale, y, 0), "%s: not contained", set->ops->type.name);
    memcpy(again, x, bytes);
    ss_set_prox(set, scale, again, again);
    assert_memory_equal(again, y, bytes);
    memcpy(v, x, bytes);
    ss_set_vdst(set, scale, v, v);
    for (int i = 0; i < set->dim; i++)
        assert_true(v[i] == x[i] - y[i]);
}

/* Membership with a tolerance is a distance. */
static inline void check_membership(const ss_set *set, double scale, const double *x,
                                    const double *y)
{
    double far = distance(set->dim, x, y);
    assert_int_equal(ss_set_contains(set, scale, x, 0), far == 0);
    if (far > 1e-9 * norm(set->dim, x)) {
        assert_true(ss_set_contains(set, scale, x, far * (1 + 1e-6)));
        assert_false(ss_set_contains(set, scale, x, far * (1 - 1e-6)));
    }
}

/* The length of the longest coordinate in the scaled set; of y when the set is unbounded. */
static inline double extent(const ss_set *set, double scale, const double *y)
{
    double v[SS_SET_MAX_DIM] = {0}, largest = 0;
    for (int i = 0; i < set->dim; i++) {
        for (v[i] = -1; v[i] <= 1; v[i] += 2)
            largest = fmax(largest, fabs(ss_set_support(set, scale, v)));
        v[i] = 0;
    }
    return isfinite(largest) ? largest : norm(set->dim, y);
}

/* All of the above, and the support function: xᵀv <= support(v) in the set, equal at y for v = x
 * - y. */
static inline void check_projection(const ss_set *set, double scale, const double *x,
                                    const double *y)
{
    double v[SS_SET_MAX_DIM];
    int dim = set->dim;
    for (int i = 0; i < dim; i++) {
        CHECK(isfinite(y[i]), "%s: y[%d] = %g", set->ops->type.name, i, y[i]);
        v[i] = x[i] - y[i];
    }
    check_idempotent(set, scale, x, y);
    check_membership(set, scale, x, y);
    double support = ss_set_support(set, scale, v), reached = dot(dim, v, y);
    double size = norm(dim, x) * extent(set, scale, y);
    CHECK(fabs(support - reached) <= 16 * DBL_EPSILON * size, "%s: support %g, reached %g of %g",
          set->ops->type.name, support, reached, size);
}

/* |prox(a) - prox(b)| <= |a - b|, to rounding. */
static inline void check_nonexpansive(const ss_set *set, double scale, const double *a,
                                      const double *b)
{
    double y[SS_SET_MAX_DIM], z[SS_SET_MAX_DIM];
    int dim = set->dim;
    ss_set_prox(set, scale, a, y);
    ss_set_prox(set, scale, b, z);
    double before = distance(dim, a, b), after = distance(dim, y, z);
    double rounding = 16 * DBL_EPSILON * (norm(dim, y) + norm(dim, z));
    CHECK(after <= before + rounding, "%s: %.17g before, %.17g after", set->ops->type.name, before,
          after);
}

/* Everything for random points with coordinates up to `reach`. */
static inline void check_random_points(const ss_set *set, double scale, double reach, int count,
                                       random_state *r)
{
    double x[SS_SET_MAX_DIM], y[SS_SET_MAX_DIM], b[SS_SET_MAX_DIM], w[SS_SET_MAX_DIM];
    for (int k = 0; k < count; k++) {
        double near = random_log(r, 1e-12, 1);
        for (int i = 0; i < set->dim; i++) {
            x[i] = reach * random_between(r, -1, 1);
            w[i] = reach * random_between(r, -1, 1);
            b[i] = random_bits(r) & 1 ? w[i] : x[i] + near * w[i];
        }
        ss_set_prox(set, scale, x, y);
        ss_set_prox(set, scale, w, w);
        check_projection(set, scale, x, y);
        check_variational(set->dim, x, y, w);
        check_nonexpansive(set, scale, x, b);
    }
}

#endif
