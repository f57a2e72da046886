/* freedom.h: what the impulses of a solved inclusion may still do while no law changes its
 * mode.
 *
 * Laws in constraint mode hold their rows, γ = 0, with impulses x that may be anything in the
 * set; a friction that slides follows its normal impulse, P_T = p P_N with p at the boundary of
 * the set where the slip drives it; all other impulses are known. So P = K x + P_known, and with
 * A = (G K) restricted to the held rows every x + N z, A N = 0, that stays in the sets holds the
 * same rows. With sliding friction A is not symmetric, and z may change the motion. */
#ifndef SS_ROWS_FREEDOM_H
#define SS_ROWS_FREEDOM_H

#include "base/arena.h"

#include <stickslip/inclusion.h>

typedef struct ss_freedom {
    int n;        /* variables x = held rows */
    int rank;     /* of A */
    int nullity;  /* n - rank */
    int *row;     /* n: row of the inclusion */
    int *first;   /* n_blocks: first variable, -1: none */
    bool *slides; /* n_blocks: a friction that follows its normal impulse */
    int *
        cone; /* n_blocks: the friction that shares a cone { |P_T| <= μ P_N } with a normal impulse, -1: none */
    double *p;              /* n_rows: P_T / P_N of those that slide */
    double *x;              /* n */
    double *R;              /* G K: n_rows × n by columns */
    double *N;              /* n × nullity by columns, orthonormal */
    double *U, *Vt, *sigma; /* of the scaled A */
    double *scale;          /* n: of a row and of a column of A */
    double condition;       /* largest / smallest singular value that counts */

    ss_context *context;
    ss_arena arena; /* everything; grows, never shrinks */
    bool has_arena;
    int capacity_blocks, capacity_rows, capacity_u, capacity_n;
    ss_mode *modes;                        /* n_blocks */
    double *P, *u, *gamma, *column, *work; /* scratch */
} ss_freedom;

/* Where a slip γ_T ≠ 0 drives the friction of a unit normal impulse: the point of scale · set
 * that lies farthest against γ_T. */
void ss_slip_direction(const ss_block *block, const double *gamma, double *p);

/* Most held rows that are looked at. */
enum { SS_FREEDOM_MOST = 2000 };

/* At the solution P (u in factored form); projections shorter than `tolerance` times the
 * residual's reference count as none. SS_UNSUPPORTED above SS_FREEDOM_MOST held rows.
 * Zero-initialize before the first call. */
ss_status ss_freedom_find(ss_freedom *f, ss_context *context, const ss_inclusion *inclusion,
                          const double *P, const double *u, double tolerance);
void ss_freedom_release(ss_freedom *f);
/* Memory for inclusions up to a size, with up to n held rows. */
ss_status ss_freedom_reserve(ss_freedom *f, ss_context *context, int n_blocks, int n_rows, int n_u,
                             int n);

/* P = K x in the rows that are variables or follow one; the others stay. */
void ss_freedom_spread(const ss_freedom *f, const ss_inclusion *inclusion, const double *x,
                       double *P);
/* y += Kᵀ v */
void ss_freedom_relative_velocity(const ss_freedom *f, const ss_inclusion *inclusion,
                                  const double *v, double *y);
/* Moves x so that the held rows are held again after P_T / P_N has changed. */
void ss_freedom_correct(ss_freedom *f, const ss_inclusion *inclusion, double *P);

/* Minimizes ½ xᵀ H x + gᵀ x over all x that hold the same rows and stay in the sets, given
 * Q = Nᵀ H N (nullity × nullity, NULL: zero) and q = Nᵀ (H x + g) at the x of `f`. False when it was
 * not found to the last digits; x is the best that was. */
bool ss_freedom_optimize(ss_freedom *f, const ss_inclusion *inclusion, const double *P,
                         const double *Q, const double *q, double *x);

/* Whether another x than that of `f` holds the same rows and stays in the sets. */
bool ss_freedom_has_capacity(ss_freedom *f, const ss_inclusion *inclusion, const double *P);

#endif
