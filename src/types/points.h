/* points.h: points that move with a system, or are fixed in space; pairs of them; frames of joints. */
#ifndef SS_TYPES_POINTS_H
#define SS_TYPES_POINTS_H

#include "model/body.h"

/* Vectors of a space of 1, 2 or 3 dimensions. */
static inline double ss_vector_dot(int dim, const double *a, const double *b)
{
    double sum = a[0] * b[0];
    for (int i = 1; i < dim; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline double ss_vector_length(int dim, const double *a)
{
    return dim == 1 ? fabs(a[0]) : sqrt(ss_vector_dot(dim, a, a));
}

/* A unit vector from `dim` numbers of any length. */
ss_status ss_read_direction(const ss_setup *setup, const char *key, const ss_matrix *given, int dim,
                            double *n);

/* x(q) of a connected system: the place of a point mass; x + R(phi) p of a planar body; x + A p of a body or a link. */
typedef struct ss_point {
    int local;                         /* of the connected system; -1: fixed in space */
    int dim;                           /* of the space: 1, 2, 3 */
    int nq, nu;                        /* positions and velocities of the system */
    bool turns;                        /* a point of a planar body */
    const ss_body *body;               /* a point of a body in space, else NULL */
    const struct ss_tree_system *tree; /* a point of a link of a tree, else NULL */
    int frame;                         /* the link */
    double p[3]; /* in the frame of the body or link, or in space when fixed */
} ss_point;

/* Contacts the system ("ball", or "robot.hand" for a link) and finds the point on it. `place` may be left out: the centre of mass. The
 * key names the place in messages. */
ss_status ss_point_attach(ss_setup *setup, const ss_text *system, const char *key,
                          const ss_matrix *place, ss_point *point);
/* A point that is fixed in a space of `dim` dimensions. */
ss_status ss_point_fix(const ss_setup *setup, int dim, const char *key, const ss_matrix *place,
                       ss_point *point);

/* Each result has point->dim elements. Bias: the acceleration that is left at u' = 0. */
typedef void ss_point_fn(const ss_point *point, const ss_at *at, double *result);
ss_point_fn ss_point_position, ss_point_velocity, ss_point_bias;

/* From the centre of mass, or the origin of a link, to the point, dim elements; zero for a point mass. */
void ss_point_arm(const ss_point *point, const ss_at *at, double *arm);

/* w += Jᵀ f with the point's Jacobian J = ∂v/∂u: the generalized force of a force f at the
 * point, or the row of W of a relative velocity fᵀv. w has nu elements; nothing is added when
 * the point is fixed. */
void ss_point_generalized_force(const ss_point *point, const ss_at *at, const double *f, double *w);
/* The same for the point of the body that is now at `offset` (in space) from it. */
void ss_point_generalized_force_from(const ss_point *point, const ss_at *at, const double *offset,
                                     const double *f, double *w);

/* ---- Two points and the ray between them: what a distance, a joint, a spring and a damper have in common ---- */

typedef struct ss_point_pair {
    ss_text system, to;
    ss_matrix point, to_point;
    ss_point a, b; /* on `system`; on `to` or fixed */
    int dim;
    size_t scratch; /* where a link is one of both: of numbers in the cache, for derivatives */
} ss_point_pair;

/* Keys of a type whose struct has the ss_point_pair as its member `pair`. */
/* clang-format off */
#define SS_PAIR_KEYS(type)                                                                        \
    {"system", SS_KEY_TEXT, offsetof(type, pair.system), NULL, 0, 0, NULL, "",                    \
     "System that the first point belongs to; of a tree one of its links, robot.hand."},                                                  \
    {"point", SS_KEY_REALS, offsetof(type, pair.point), "", 0, 0, NULL, "m",                      \
     "First point in the frame of its body; the origin of that frame when not given."},           \
    {"to", SS_KEY_TEXT, offsetof(type, pair.to), "", 0, 0, NULL, "",                              \
     "System that the second point belongs to; not given: it is fixed in space."},                \
    {"to_point", SS_KEY_REALS, offsetof(type, pair.to_point), "", 0, 0, NULL, "m",                \
     "Second point, in the frame of the body `to`, or in space."}
/* clang-format on */

/* Contacts the systems and checks that both points live in the same space. */
ss_status ss_pair_attach(ss_setup *setup, ss_point_pair *pair);

/* From the first point to the second. Where they coincide the direction is the first axis. */
typedef struct ss_ray {
    double n[3];   /* unit vector */
    double length; /* m */
} ss_ray;

ss_ray ss_pair_ray(const ss_point_pair *pair, const ss_at *at);
/* One of the functions of a point for the second point relative to the first; dim elements. */
void ss_pair_difference(const ss_point_pair *pair, const ss_at *at, ss_point_fn *of, double *d);

/* w_a -= J_aᵀ f, w_b += J_bᵀ f. w[k] belongs to connected system k and begins at its element
 * `offset · nu`. */
void ss_pair_generalized_force(const ss_point_pair *pair, const ss_at *at, const double *f,
                               int offset, double *const *w);
/* Derivatives of what ss_pair_generalized_force makes of a force f with A = ∂f/∂d and B = ∂f/∂v (dim × dim by rows; NULL:
 * zero) with respect to the relative place and velocity; as ss_force_ops.derivatives wants them. */
typedef struct ss_pair_force {
    double f[3];
    const double *A, *B;
} ss_pair_force;
void ss_pair_derivatives(const ss_point_pair *pair, const ss_at *at, const ss_pair_force *force,
                         double *const *dhdq, double *const *dhdu);

/* W = 0 for a number of rows. */
void ss_pair_clear(const ss_point_pair *pair, int rows, double *const *W);

/* ---- The frame of a joint on each of the bodies it connects ---- */

/* An anchor and three axes, fixed to a body or in space. */
typedef struct ss_joint_side {
    ss_point point;
    double d[3][3]; /* in the axes of the body, or in space */
} ss_joint_side;

/* Where they are now, in space. */
typedef struct ss_joint_side_at {
    double x[3];
    double d[3][3];
} ss_joint_side_at;

/* Contacts a body; the anchor is at its frame's origin. text NULL: fixed in space. */
ss_status ss_side_attach(ss_setup *setup, const ss_text *system, ss_joint_side *side);
/* Puts the anchor, or an axis, where it is in space in the initial configuration. */
void ss_side_anchor(const ss_setup *setup, const double x[3], ss_joint_side *side);
void ss_side_axes(const ss_setup *setup, double d[3][3], ss_joint_side *side);
/* Where the anchor is in the initial configuration. */
void ss_side_start(const ss_setup *setup, const ss_joint_side *side, double x[3]);
ss_joint_side_at ss_side_evaluate(const ss_joint_side *side, const ss_at *at);

/* w += the generalized force of a torque n in space, or the row of W of nᵀω. */
void ss_side_twist(const ss_joint_side *side, const ss_at *at, double sign, const double n[3],
                   double *const *W, int row);
/* w += that of a force f at the point now at `offset` from the anchor, or the row of W of fᵀv. */
void ss_side_apply_force(const ss_joint_side *side, const ss_at *at, const double offset[3],
                         double sign, const double f[3], double *const *W, int row);

#endif
