/* build.h: inclusions for tests, put together system by system and block by block, with their dense
 * matrices. */
#ifndef SS_TESTS_SUPPORT_BUILD_H
#define SS_TESTS_SUPPORT_BUILD_H

#include "support/random.h"

#include <stickslip/inclusion.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BUILD_BLOCKS = 64, BUILD_FACTORS = 128, BUILD_U = 128, BUILD_ROWS = 128, BUILD_NU = 6 };

typedef struct build_system {
    int u_offset, nu;
    double Minv[BUILD_NU * BUILD_NU];
} build_system;

typedef struct build {
    ss_inclusion inclusion; /* points into this struct */
    ss_block blocks[BUILD_BLOCKS];
    int factor_start[BUILD_BLOCKS + 1];
    ss_factor factors[BUILD_FACTORS];
    double W[BUILD_FACTORS][BUILD_NU * 3], MinvW[BUILD_FACTORS][BUILD_NU * 3];
    double u_free[BUILD_U], b[BUILD_ROWS];
    int n_systems;
    build_system systems[BUILD_U];
} build;

static inline build *build_create(void)
{
    build *p = calloc(1, sizeof *p);
    assert(p);
    p->inclusion.blocks = p->blocks;
    p->inclusion.factor_start = p->factor_start;
    p->inclusion.factors = p->factors;
    p->inclusion.u_free = p->u_free;
    p->inclusion.b = p->b;
    return p;
}

/* A system with the inverse of its mass matrix, nu × nu by rows. Returns its number. */
static inline int build_add_system(build *p, int nu, const double *Minv)
{
    assert(nu <= BUILD_NU && p->inclusion.n_u + nu <= BUILD_U);
    build_system *system = &p->systems[p->n_systems];
    system->u_offset = p->inclusion.n_u;
    system->nu = nu;
    memcpy(system->Minv, Minv, (size_t)(nu * nu) * sizeof *Minv);
    p->inclusion.n_u += nu;
    return p->n_systems++;
}

static inline int build_add_block(build *p, const ss_set *set, double scale, int scale_from)
{
    int i = p->inclusion.n_blocks++;
    assert(i < BUILD_BLOCKS && p->inclusion.n_rows + set->dim <= BUILD_ROWS && set->dim <= 3);
    p->blocks[i] = (ss_block){
        .set = set,
        .offset = p->inclusion.n_rows,
        .dim = set->dim,
        .scale_from = scale_from,
        .scale = scale,
    };
    p->inclusion.n_rows += set->dim;
    p->factor_start[i + 1] = p->factor_start[i];
    return i;
}

/* The last block acts on a system with W, nu × dim column by column. */
static inline void build_add_factor(build *p, int system, const double *W)
{
    int i = p->inclusion.n_blocks - 1, f = p->factor_start[i + 1]++;
    assert(f < BUILD_FACTORS);
    const build_system *S = &p->systems[system];
    int nu = S->nu;
    for (int k = 0; k < p->blocks[i].dim; k++)
        for (int a = 0; a < nu; a++) {
            p->W[f][k * nu + a] = W[k * nu + a];
            p->MinvW[f][k * nu + a] = 0.0;
            for (int c = 0; c < nu; c++)
                p->MinvW[f][k * nu + a] += S->Minv[a * nu + c] * W[k * nu + c];
        }
    p->factors[f] = (ss_factor){S->u_offset, nu, p->W[f], p->MinvW[f]};
}

/* G = Wᵀ M⁻¹ W from the full matrices, n_rows × n_rows by rows, and c = Wᵀ u_free + b. */
static inline void build_dense(const build *p, double *G, double *c)
{
    int m = p->inclusion.n_rows, n = p->inclusion.n_u;
    double *W = calloc((size_t)(n * m) + 1, sizeof *W),
           *Minv = calloc((size_t)(n * n) + 1, sizeof *W);
    assert(W && Minv);
    for (int s = 0; s < p->n_systems; s++)
        for (int a = 0; a < p->systems[s].nu; a++)
            for (int d = 0; d < p->systems[s].nu; d++)
                Minv[(p->systems[s].u_offset + a) * n + p->systems[s].u_offset + d] =
                    p->systems[s].Minv[a * p->systems[s].nu + d];
    for (int i = 0; i < p->inclusion.n_blocks; i++)
        for (int f = p->factor_start[i]; f < p->factor_start[i + 1]; f++)
            for (int k = 0; k < p->blocks[i].dim; k++)
                for (int a = 0; a < p->factors[f].nu; a++)
                    W[(p->factors[f].u_offset + a) * m + p->blocks[i].offset + k] +=
                        p->W[f][k * p->factors[f].nu + a];
    for (int h = 0; h < m; h++) {
        c[h] = p->b[h];
        for (int a = 0; a < n; a++)
            c[h] += W[a * m + h] * p->u_free[a];
        for (int k = 0; k < m; k++) {
            G[h * m + k] = 0.0;
            for (int a = 0; a < n; a++)
                for (int d = 0; d < n; d++)
                    G[h * m + k] += W[a * m + h] * Minv[a * n + d] * W[d * m + k];
        }
    }
    free(W);
    free(Minv);
}

/* A random symmetric positive definite matrix with eigenvalues in about [low, 1 + low] · nu. */
static inline void build_random_Minv(random_state *random, int nu, double low, double *Minv)
{
    double A[BUILD_NU * BUILD_NU];
    for (int k = 0; k < nu * nu; k++)
        A[k] = random_between(random, -1, 1);
    for (int a = 0; a < nu; a++)
        for (int d = 0; d < nu; d++) {
            Minv[a * nu + d] = a == d ? low : 0.0;
            for (int k = 0; k < nu; k++)
                Minv[a * nu + d] += A[a * nu + k] * A[d * nu + k];
        }
}

/* The last block acts on a system in random directions. */
static inline void build_random_factor(random_state *random, build *p, int system)
{
    double W[BUILD_NU * 3];
    for (int k = 0; k < BUILD_NU * 3; k++)
        W[k] = random_between(random, -1, 1);
    build_add_factor(p, system, W);
}

static inline void build_random_load(random_state *random, build *p)
{
    for (int k = 0; k < p->inclusion.n_u; k++)
        p->u_free[k] = random_between(random, -1, 1);
    for (int k = 0; k < p->inclusion.n_rows; k++)
        p->b[k] = random_between(random, -.5, .5);
}

#endif
