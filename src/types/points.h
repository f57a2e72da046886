/* points.h: points that move with a system, or are fixed in space. */
#ifndef SS_TYPES_POINTS_H
#define SS_TYPES_POINTS_H

#include "model/body.h"

/* x(q) of a connected system: the place of a point mass; x + R(phi) p of a planar body; x + A(e) p of a body. */
typedef struct ss_point {
    int local;           /* of the connected system; -1: fixed in space */
    int dim;             /* of the space: 1, 2, 3 */
    int nq, nu;          /* positions and velocities of the system */
    bool turns;          /* a point of a planar body */
    const ss_body *body; /* a point of a body in space, else NULL */
    double p[3];         /* in the body's frame, or in space when fixed */
} ss_point;

/* Contacts the system and finds the point on it. `place` may be left out: the centre of mass. The
 * key names the place in messages. */
ss_status ss_point_attach(ss_setup *setup, const ss_text *system, const char *key,
                          const ss_matrix *place, ss_point *point);
/* A point that is fixed in a space of `dim` dimensions. */
ss_status ss_point_fix(const ss_setup *setup, int dim, const char *key, const ss_matrix *place,
                       ss_point *point);

/* Each result has point->dim elements. */
void ss_point_position(const ss_point *point, const ss_at *at, double *x);
void ss_point_velocity(const ss_point *point, const ss_at *at, double *v);
/* The acceleration that is left at u' = 0. */
void ss_point_bias(const ss_point *point, const ss_at *at, double *a);

/* The Jacobian J = ∂v/∂u, dim × nu by rows. */
void ss_point_jacobian(const ss_point *point, const ss_at *at, double *J);
/* From the centre of mass to the point, dim elements; zero for a point mass. */
void ss_point_arm(const ss_point *point, const ss_at *at, double *arm);
/* What turning the body does, with θ the small turn that belongs to the angular velocities: the columns
 * ∂v/∂θ (dim × n) and ∂(Jᵀf)/∂θ, rows of the angular velocities (n × n), n = nu - dim. */
void ss_point_turning(const ss_point *point, const ss_at *at, const double *f, double *dv,
                      double *dw);
/* ∂/∂q (rows × nq) += ∂/∂(x, θ) (rows × nu), both by rows. */
void ss_point_to_q(const ss_point *point, const ss_at *at, int rows, const double *by_turn,
                   double *by_q);

/* w += Jᵀ f with the point's Jacobian J = ∂v/∂u: the generalized force of a force f at the
 * point, or the row of W of a relative velocity fᵀv. w has nu elements; nothing is added when
 * the point is fixed. */
void ss_point_generalized_force(const ss_point *point, const ss_at *at, const double *f, double *w);
/* The same for the point of the body that is now at `offset` (in space) from it. */
void ss_point_generalized_force_from(const ss_point *point, const ss_at *at, const double *offset,
                                     const double *f, double *w);

#endif
