/* problem.h: a problem while it is read: the matrix as triplets, then the inclusion. */
#ifndef SS_ROWS_PROBLEM_PROBLEM_H
#define SS_ROWS_PROBLEM_PROBLEM_H

#include "base/arena.h"
#include "rows/gather.h"

#include <stickslip/problem.h>

struct ss_problem {
    ss_context *context;
    ss_arena arena; /* everything below */
    const char *path;
    const char *title;
    int dimension; /* rows a contact */
    int n_contacts;
    int n_bilateral; /* rows without a contact, after the contacts */
    ss_inclusion inclusion;
    ss_gathered gathered; /* of the inclusion */
};

/* A matrix as a list of its elements; what is listed twice is added. */
typedef struct ss_triplets {
    int n_rows, n_columns;
    size_t count;
    int *row, *column;
    double *value;
} ss_triplets;

/* Room for `count` elements. */
ss_status ss_triplets_create(ss_arena *arena, int n_rows, int n_columns, size_t count,
                             ss_triplets *triplets);

/* Rows of the problem: d a contact, then the bilateral ones. */
int ss_problem_rows(const ss_problem *problem);

/* Checks the counts, which come from a file. */
ss_status ss_problem_check_size(const ss_problem *problem);

/* The inclusion of W (indices in range), q and μ, all finite or a message. W may live in another
 * arena. */
ss_status ss_problem_build(ss_problem *problem, const ss_triplets *W, const double *q,
                           const double *mu);

/* FCLib files. */
ss_status ss_problem_read_fclib(ss_problem *problem);

/* W = Hᵀ M⁻¹ H and q += Hᵀ M⁻¹ f. M is symmetric and positive definite; only its lower half
 * is read. */
ss_status ss_problem_condense(ss_problem *problem, const ss_triplets *M, const ss_triplets *H,
                              const double *f, ss_arena *scratch, double *q, ss_triplets *W);

#endif
