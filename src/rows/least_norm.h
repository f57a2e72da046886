/* least_norm.h: of all impulses with the same effect that stay in their sets, those of least norm:
 *
 *     min ½ ‖y‖²,   C y = C y_0 + d,   y ∈ K,
 *
 * by Newton's method on its dual problem, y = proj_K(Cᵀλ). K is a product of parts: numbers that are free, cones
 * { N >= 0, ‖T_k‖ <= N } of a normal impulse and the frictions it scales, in units in which their radii are N, balls, and
 * numbers that stay as they are. */
#ifndef SS_ROWS_LEAST_NORM_H
#define SS_ROWS_LEAST_NORM_H

#include "base/arena.h"

enum { SS_NORM_FRICTIONS = 4, SS_NORM_FRICTION_DIM = 3 };

typedef enum ss_norm_kind {
    SS_NORM_FREE,
    SS_NORM_CONE,  /* `first` is N */
    SS_NORM_BALL,  /* of `radius` */
    SS_NORM_FIXED, /* stays as it is */
} ss_norm_kind;

typedef struct ss_norm_part {
    ss_norm_kind kind;
    int first, dim; /* numbers of y */
    double radius;
    int n_frictions; /* of a cone */
    struct {
        int first, dim;
    } friction[SS_NORM_FRICTIONS];
} ss_norm_part;

typedef struct ss_least_norm {
    int n, r;    /* numbers, equations */
    double *C;   /* r × n by rows, independent */
    double *y;   /* n: y_0, becomes the solution; it stays when that is not found */
    double *d;   /* r */
    int n_parts; /* every number is of one part */
    ss_norm_part *parts;

    int capacity_n, capacity_r;
    ss_arena arena; /* everything; grows, never shrinks */
    bool has_arena;
    double *lambda, *trial, *step, *g, *H, *z, *w, *D;
} ss_least_norm;

/* Memory for so many numbers and equations. */
ss_status ss_least_norm_reserve(ss_least_norm *s, ss_context *context, int n, int r);
void ss_least_norm_release(ss_least_norm *s);
/* Finds y; false when it was not found: y stays. */
bool ss_least_norm_find(ss_least_norm *s);

/* Picks rows of a symmetric positive semidefinite A (n × n by rows, which it destroys) that are independent, to `singular`
 * of its diagonal: their numbers in `row`, in the order in which they were found. Returns how many there are. scratch: n. */
int ss_independent_rows(int n, double *A, double singular, int *row, double *scratch);

#endif
