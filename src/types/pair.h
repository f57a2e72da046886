/* pair.h: two points and the ray between them: what a distance, a joint, a spring and a damper
 * have in common. */
#ifndef SS_TYPES_PAIR_H
#define SS_TYPES_PAIR_H

#include "types/points.h"

typedef struct ss_pair {
    ss_text system, to;
    ss_matrix point, to_point;
    ss_point a, b; /* on `system`; on `to` or fixed */
    int dim;
} ss_pair;

/* Keys of a type whose struct has the ss_pair as its member `pair`. */
/* clang-format off */
#define SS_PAIR_KEYS(type)                                                                        \
    {"system", SS_KEY_TEXT, offsetof(type, pair.system), NULL, 0, 0, NULL, "",                    \
     "System that the first point belongs to."},                                                  \
    {"point", SS_KEY_REALS, offsetof(type, pair.point), "", 0, 0, NULL, "m",                      \
     "First point in the frame of its body; the origin of that frame when not given."},           \
    {"to", SS_KEY_TEXT, offsetof(type, pair.to), "", 0, 0, NULL, "",                              \
     "System that the second point belongs to; not given: it is fixed in space."},                \
    {"to_point", SS_KEY_REALS, offsetof(type, pair.to_point), "", 0, 0, NULL, "m",                \
     "Second point, in the frame of the body `to`, or in space."}
/* clang-format on */

/* Contacts the systems and checks that both points live in the same space. */
ss_status ss_pair_attach(ss_setup *setup, ss_pair *pair);

/* From the first point to the second. Where they coincide the direction is the first axis. */
typedef struct ss_ray {
    double n[3];   /* unit vector */
    double length; /* m */
} ss_ray;

ss_ray ss_pair_ray(const ss_pair *pair, const ss_at *at);
/* Place, velocity and acceleration at u' = 0 of the second point relative to the first; dim
 * elements. */
void ss_pair_difference(const ss_pair *pair, const ss_at *at, double *d);
void ss_pair_velocity(const ss_pair *pair, const ss_at *at, double *v);
void ss_pair_bias(const ss_pair *pair, const ss_at *at, double *a);

/* w_a -= J_aᵀ f, w_b += J_bᵀ f. w[k] belongs to connected system k and begins at its element
 * `offset · nu`. */
void ss_pair_generalized_force(const ss_pair *pair, const ss_at *at, const double *f, int offset,
                               double *const *w);
/* Derivatives of what ss_pair_generalized_force makes of a force f with A = ∂f/∂d and B = ∂f/∂v (dim × dim by rows; NULL:
 * zero) with respect to the relative place and velocity; as ss_force_ops.derivatives wants them. */
typedef struct ss_pair_force {
    double f[3];
    const double *A, *B;
} ss_pair_force;
void ss_pair_derivatives(const ss_pair *pair, const ss_at *at, const ss_pair_force *force,
                         double *const *dhdq, double *const *dhdu);

/* W = 0 for a number of rows. */
void ss_pair_clear(const ss_pair *pair, int rows, double *const *W);

#endif
