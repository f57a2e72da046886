/* set.h: convex sets of admissible forces with their projections.
 *
 * A closed convex set C of dimension n can be scaled: s C = { s x | x in C }, s >= 0. The radius
 * of a friction disk is its scale. The ends of the scale are limits: for s = 0 a bounded set is
 * {0}, for s = INFINITY a disk is the whole space, and cones and the whole space are their own
 * multiples for every s.
 *
 * Projections are exact to rounding, and a point that is outside by rounding only stays where it
 * is. So prox(prox(x)) is prox(x), and a force on the boundary of its set does not creep.
 */
#ifndef STICKSLIP_SET_H
#define STICKSLIP_SET_H

#include <stickslip/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Largest dimension of a set: capacity enough for the x and y of any set. */
#define SS_SET_MAX_DIM 64

/* What a set is. Solvers treat the first ones in closed form, without a call; s is the scale. */
typedef enum ss_set_kind {
    SS_SET_OTHER,              /* known by its functions alone */
    SS_SET_FREE,               /* the whole space */
    SS_SET_HALF_LINE,          /* x >= 0 */
    SS_SET_NEGATIVE_HALF_LINE, /* x <= 0 */
    SS_SET_INTERVAL,           /* [-s, s] */
    SS_SET_DISK,               /* |x| <= s in a plane */
    SS_SET_BALL,               /* |x| <= s in space */
    SS_SET_UNEVEN_INTERVAL,    /* [s a, s b], any other a <= b */
    SS_SET_ELLIPSE,
    SS_SET_ELLIPSOID,
    SS_SET_POLYGON,
    SS_SET_CONE,
    SS_SET_PRODUCT,
} ss_set_kind;

/* A type of set. The numeric functions are pure, cannot fail, and take finite numbers (to be
 * safe from overflow, not above 1e150); a NaN in x must come out as a NaN in y, so that it is
 * noticed. x, y and v have `dim` elements, and x and y may be the same array. */
typedef struct ss_set_ops {
    ss_type type; /* type.size = sizeof(ss_set_ops) */

    /* What sets of this type are. With one of the first kinds a set must be exactly what the kind
     * says: solvers then ask its functions no more. */
    ss_set_kind kind;

    /* Checks and prepares the parameters once they are filled. May be NULL. */
    ss_status (*init)(void *self, ss_context *context);
    /* Releases what init made; also called when init failed. May be NULL. */
    void (*destroy)(void *self, ss_context *context);

    /* Smallest and largest dimension. NULL: 1 … SS_SET_MAX_DIM. */
    void (*dimensions)(const void *self, int *least, int *most);

    /* The kind of one set when its parameters make it a simpler one: an ellipse with semi-axes of 1
     * is a disk. NULL: `kind`, whatever the parameters. */
    ss_set_kind (*kind_of)(const void *self, int dim);

    /* y = prox_{sC}(x), the nearest point of s C (S2.12). Required. */
    void (*prox)(const void *self, int dim, double scale, const double *x, double *y);

    /* y = argmin (x-y)ᵀ R (x-y) over s C; R symmetric positive definite, dim × dim. NULL: not
     * tractable. */
    void (*prox_metric)(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y);

    /* Whether x is in s C, or not farther from it than `tolerance` >= 0. Required. */
    bool (*contains)(const void *self, int dim, double scale, const double *x, double tolerance);

    /* Support function sup { xᵀv | x in s C }, possibly INFINITY (S2.8). Required. */
    double (*support)(const void *self, int dim, double scale, const double *v);
} ss_set_ops;

/* ops is copied; what it points to must outlive the context, here and for every other kind of type. What fails
 * registers nothing. */
SS_API ss_status ss_register_set(ss_context *context, const ss_set_ops *ops);

/* A set with its parameters. Solvers may call set->ops->prox(set->self, set->dim, …) themselves. */
typedef struct ss_set {
    const ss_set_ops *ops;
    const void *self;
    int dim;
    ss_set_kind kind; /* resolved when the set is made; SS_SET_OTHER is never wrong */
} ss_set;

/* Makes a set by name. args and scope (names that expressions in args may use) may be NULL. dim
 * must agree with the kind; 0: the only dimension the kind has. To be destroyed before the
 * context. */
SS_API ss_status ss_set_create(ss_context *context, const char *name, const ss_args *args,
                               const ss_scope *scope, int dim, ss_set **set);
/* The same of a set that was asked for with SS_KEY_SET or SS_KEY_SETS, or the set named "disk 2". */
SS_API ss_status ss_set_create_from(ss_context *context, const ss_set_spec *spec, int dim,
                                    ss_set **set);
/* The product C_1 × … × C_count, its dimension the sum of theirs. The sets' parameters are
 * borrowed: each set must outlive the product. */
SS_API ss_status ss_set_product_create(ss_context *context, int count, const ss_set *const *factors,
                                       ss_set **set);
/* Only for what the two functions above made. set may be NULL. */
SS_API void ss_set_destroy(ss_set *set);

/* y = prox_{sC}(x); x and y may be the same array, here and below. */
static inline void ss_set_prox(const ss_set *set, double scale, const double *x, double *y)
{
    set->ops->prox(set->self, set->dim, scale, x, y);
}
/* The distance vector v = x - prox(x) (vdst, S2.13). */
SS_API void ss_set_vdst(const ss_set *set, double scale, const double *x, double *v);
/* y = prox in the metric R (S2.12); SS_UNSUPPORTED when the set has none. */
SS_API ss_status ss_set_prox_metric(ss_context *context, const ss_set *set, double scale,
                                    const double *R, const double *x, double *y);
SS_API bool ss_set_contains(const ss_set *set, double scale, const double *x, double tolerance);
SS_API double ss_set_support(const ss_set *set, double scale, const double *v);

/* Sets without parameters, for C programs and laws: static, valid for ever. NULL for any other
 * dim. */
SS_API const ss_set *ss_set_free(int dim);            /* R^dim, dim 1 … 6: bilateral */
SS_API const ss_set *ss_set_half_line(void);          /* x >= 0 */
SS_API const ss_set *ss_set_negative_half_line(void); /* x <= 0 */
SS_API const ss_set *ss_set_interval(void);           /* [-1, 1], scaled */
SS_API const ss_set *ss_set_disk(int dim);            /* ball of radius 1 in dim 2 or 3, scaled */

#ifdef __cplusplus
}
#endif
#endif
