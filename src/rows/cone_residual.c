/* cone_residual.c: the natural map of De Saxcé's form of Coulomb's law. */
#include "la/small.h"
#include "rows/coulomb_cone.h"
#include "rows/kind.h"
#include "rows/problem/problem.h"

#include <math.h>

/* The tangential block of a contact follows its normal one, or precedes it; anything else would
 * make the search for it expensive, and no model writes it so. */
static int tangential(const ss_inclusion *A, int i)
{
    if (i + 1 < A->n_blocks && A->blocks[i + 1].scale_from == i)
        return i + 1;
    if (i > 0 && A->blocks[i - 1].scale_from == i)
        return i - 1;
    return -1;
}

const char *ss_inclusion_not_coulomb(const ss_inclusion *A)
{
    if (A->gathered)
        return NULL; /* made of contacts, as problem files are */
    for (int i = 0; i < A->n_blocks; i++) {
        const ss_block *B = &A->blocks[i];
        if (B->scale_from < 0) {
            if (B->set->kind != SS_SET_HALF_LINE && B->set->kind != SS_SET_FREE)
                return "a block is neither a half line, nor free, nor scaled by a half line";
            continue;
        }
        if (!ss_set_is_round(B->set) || A->blocks[B->scale_from].set->kind != SS_SET_HALF_LINE)
            return "a scaled block is not an interval or a plane disk that a half line scales";
        if (tangential(A, B->scale_from) != i)
            return "a half line scales several blocks, or one that is not beside it";
    }
    return NULL;
}

/* Squares of the sums that the references are made of. */
typedef struct sums {
    double error2, q2, P2, u2, worst2;
    int worst;
} sums;

static void add_error(double e2, int block, sums *s)
{
    s->error2 += e2;
    if (e2 > s->worst2 || s->worst < 0) {
        s->worst2 = e2;
        s->worst = block;
    }
}

/* The rows of q and of u of one block. */
static void add_block(const ss_inclusion *A, const double *P, const double *u, int i, double *gamma,
                      sums *s)
{
    const ss_block *B = &A->blocks[i];
    double load[SS_SET_MAX_DIM];
    ss_inclusion_velocity(A, P, u, i, gamma);
    s->P2 += ss_dot(B->dim, P + B->offset, P + B->offset);
    s->u2 += ss_dot(B->dim, gamma, gamma);
    if (A->factor_start)
        ss_inclusion_velocity(A, NULL, A->u_free, i, load);
    const double *q = A->factor_start ? load : A->c + B->offset;
    s->q2 += ss_dot(B->dim, q, q);
}

static void add_contact(const ss_inclusion *A, const double *P, const double *u, int i, sums *s)
{
    double p[1 + SS_SET_MAX_DIM] = {P[A->blocks[i].offset]}, v[1 + SS_SET_MAX_DIM];
    int j = tangential(A, i), dim = 1;
    add_block(A, P, u, i, v, s);
    if (j >= 0) {
        const ss_block *T = &A->blocks[j];
        add_block(A, P, u, j, v + 1, s);
        for (int k = 0; k < T->dim; k++)
            p[1 + k] = P[T->offset + k];
        dim += T->dim;
    }
    add_error(ss_coulomb_error2(dim, j >= 0 ? A->blocks[j].scale : 0.0, p, v), i, s);
}

ss_cone_residual ss_inclusion_cone_residual(const ss_inclusion *A, const double *P, const double *u)
{
    sums s = {.worst = -1};
    for (int i = 0; i < A->n_blocks; i++) {
        const ss_block *B = &A->blocks[i];
        double gamma[SS_SET_MAX_DIM];
        if (B->scale_from >= 0)
            continue;
        if (B->set->kind == SS_SET_HALF_LINE) {
            add_contact(A, P, u, i, &s);
            continue;
        }
        add_block(A, P, u, i, gamma, &s);
        add_error(ss_dot(B->dim, gamma, gamma), i, &s);
    }
    double absolute = sqrt(s.error2), size = sqrt(fmax(s.q2, fmax(s.P2, s.u2)));
    return (ss_cone_residual){
        .absolute = absolute,
        .relative = !isfinite(size) ? INFINITY
                    : size > 0.0    ? absolute / size
                                    : absolute,
        .to_load = s.q2 > 0.0 ? absolute / sqrt(s.q2) : absolute,
        .worst_block = s.worst,
    };
}
