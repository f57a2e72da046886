/* held.h: constraints that hold whatever happens, taken out of a motion by linear algebra.
 *
 * y becomes y - M⁻¹W λ with Wᵀy = target. W may have dependent columns: λ is the shortest then.
 */
#ifndef SS_SCHEME_HELD_H
#define SS_SCHEME_HELD_H

#include <stickslip/base.h>

#include <stddef.h>

typedef struct ss_held {
    int n, rows;        /* velocities, constraints */
    const double *W;    /* n × rows, by columns */
    double *MinvW;      /* the same size */
    double *s, *U, *Vt; /* Wᵀ M⁻¹W = U diag(s) Vᵀ */
    int rank;
    double *x, *y; /* rows: scratch */
    double *work;
} ss_held;

/* Doubles of memory beside W. */
size_t ss_held_room(int n, int rows);
/* Lays it out in that memory; returns the first double behind. */
double *ss_held_lay_out(int n, int rows, const double *W, double *memory, ss_held *held);
/* Factors Wᵀ M⁻¹W. False: numbers that are not finite. */
bool ss_held_factor(ss_held *held);
/* The factors of another one with the same M⁻¹W. */
void ss_held_copy(const ss_held *from, ss_held *to);
/* As above; target NULL: 0. The multipliers λ are taken off `multipliers` (NULL: not wanted). */
void ss_held_apply(const ss_held *held, const double *target, double *y, double *multipliers);

#endif
