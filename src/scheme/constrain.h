/* constrain.h: constraints that hold whatever happens, taken out of a motion by linear algebra.
 *
 * y becomes y - M⁻¹W λ with Wᵀy = target. W may have dependent columns: λ is the shortest then.
 */
#ifndef SS_SCHEME_CONSTRAIN_H
#define SS_SCHEME_CONSTRAIN_H

#include <stickslip/base.h>

#include <stddef.h>

typedef struct ss_constrained {
    int n, rows;        /* velocities, constraints */
    const double *W;    /* n × rows, by columns */
    double *MinvW;      /* the same size */
    double *s, *U, *Vt; /* Wᵀ M⁻¹W = U diag(s) Vᵀ */
    int rank;
    double *x, *y; /* rows: scratch */
    double *work;
} ss_constrained;

/* Doubles of memory beside W. */
size_t ss_constrained_size(int n, int rows);
/* Lays it out in that memory; returns the first double behind. */
double *ss_constrained_lay_out(int n, int rows, const double *W, double *memory,
                               ss_constrained *held);
/* Factors Wᵀ M⁻¹W. False: numbers that are not finite. */
bool ss_constrained_factor(ss_constrained *held);
/* The factors of another one with the same M⁻¹W. */
void ss_constrained_copy(const ss_constrained *from, ss_constrained *to);
/* As above; target NULL: 0. The multipliers λ are taken off `multipliers` (NULL: not wanted). */
void ss_constrained_apply(const ss_constrained *held, const double *target, double *y,
                          double *multipliers);

#endif
