/* substitute.c: inclusions that are solved in place of the given one: with springs (G + s D), or
 * with friction cones. */
#include "set/set.h"
#include "solver/choice.h"

#include "la/small.h"
#include "rows/kind.h"

#include <float.h>
#include <string.h>

void ss_substitute_release(ss_substitute *substitute)
{
    ss_inclusion_destroy(substitute->assembled);
    ss_arena_release(&substitute->arena);
}

static ss_status begin(ss_substitute *t, ss_context *context, const ss_inclusion *inclusion)
{
    ss_inclusion_destroy(t->assembled);
    t->assembled = NULL;
    t->context = t->arena.context = context;
    ss_arena_reset(&t->arena);
    SS_TRY(SS_ARENA_NEW(&t->arena, inclusion->n_rows, &t->P));
    SS_TRY(SS_ARENA_NEW(&t->arena, inclusion->n_rows, &t->row));
    for (int k = 0; k < inclusion->n_rows; k++)
        t->row[k] = k;
    t->inclusion = *inclusion;
    t->inclusion.gathered = NULL;
    return SS_OK;
}

/* ---- Springs ---- */

static double compliance_of(const ss_block *B, double s)
{
    return B->rigidity > 0.0 ? s / B->rigidity : s;
}

/* A factor with W = 1, M⁻¹W = s/k: the block pushes a mass of its own. */
static ss_status own_mass(ss_arena *arena, const ss_block *B, int u_offset, double s, ss_factor *F)
{
    double *W, *MinvW;
    size_t dim = (size_t)B->dim;
    SS_TRY(SS_ARENA_NEW(arena, dim * dim, &W));
    SS_TRY(SS_ARENA_NEW(arena, dim * dim, &MinvW));
    for (size_t k = 0; k < dim; k++) {
        W[k * dim + k] = 1.0;
        MinvW[k * dim + k] = compliance_of(B, s);
    }
    *F = (ss_factor){.u_offset = u_offset, .nu = B->dim, .W = W, .MinvW = MinvW};
    return SS_OK;
}

static ss_status add_masses(ss_substitute *t, const ss_inclusion *given, double s)
{
    int *start, n = 0;
    ss_factor *factors;
    double *u_free;
    int count = given->factor_start[given->n_blocks] - given->factor_start[0];
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_blocks + 1, &start));
    SS_TRY(SS_ARENA_NEW(&t->arena, count + given->n_blocks, &factors));
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_u + given->n_rows, &u_free));
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_u + given->n_rows, &t->u));
    if (given->n_u > 0)
        memcpy(u_free, given->u_free, (size_t)given->n_u * sizeof *u_free);
    for (int i = 0; i < given->n_blocks; i++) {
        start[i] = n;
        for (int k = given->factor_start[i]; k < given->factor_start[i + 1]; k++)
            factors[n++] = given->factors[k];
        SS_TRY(own_mass(&t->arena, &given->blocks[i], given->n_u + given->blocks[i].offset, s,
                        &factors[n++]));
    }
    start[given->n_blocks] = n;
    t->inclusion.n_u = given->n_u + given->n_rows;
    t->inclusion.factor_start = start;
    t->inclusion.factors = factors;
    t->inclusion.u_free = u_free;
    return SS_OK;
}

static ss_status add_to_diagonal(ss_substitute *t, const ss_inclusion *given, double s)
{
    ss_entry *entries;
    int count = given->entry_start[given->n_blocks];
    SS_TRY(SS_ARENA_NEW(&t->arena, count, &entries));
    if (count > 0)
        memcpy(entries, given->entries, (size_t)count * sizeof *entries);
    for (int i = 0; i < given->n_blocks; i++)
        for (int e = given->entry_start[i]; e < given->entry_start[i + 1]; e++) {
            size_t dim = (size_t)given->blocks[i].dim;
            double *value;
            if (entries[e].column != i)
                continue;
            SS_TRY(SS_ARENA_NEW(&t->arena, dim * dim, &value));
            memcpy(value, entries[e].value, dim * dim * sizeof *value);
            for (size_t k = 0; k < dim; k++)
                value[k * dim + k] += compliance_of(&given->blocks[i], s);
            entries[e].value = value;
        }
    t->inclusion.entries = entries;
    return SS_OK;
}

ss_status ss_substitute_regularized(ss_substitute *t, ss_context *context,
                                    const ss_inclusion *inclusion, double s)
{
    SS_TRY(begin(t, context, inclusion));
    return inclusion->factor_start ? add_masses(t, inclusion, s) : add_to_diagonal(t, inclusion, s);
}

bool ss_substitute_shows(const ss_substitute *t, const ss_inclusion *given, double s)
{
    const double clear = 100.0;
    double G[SS_SET_MAX_DIM * SS_SET_MAX_DIM], most = 0.0;
    ss_residual residual = ss_inclusion_residual(&t->inclusion, t->P, t->u);
    for (int i = 0; i < given->n_blocks; i++) {
        const ss_block *B = &given->blocks[i];
        double largest = 0.0;
        ss_inclusion_diagonal(&t->inclusion, i, G);
        for (int k = 0; k < B->dim; k++)
            largest = fmax(largest, G[k * B->dim + k]);
        if (largest > 0.0)
            most =
                fmax(most, compliance_of(B, s) * ss_norm(B->dim, t->P + B->offset) / sqrt(largest));
    }
    return most == 0.0 || most >= clear * (residual.absolute + DBL_EPSILON * residual.reference);
}

/* ---- Friction cones ---- */

/* The friction that each block scales, -1: none; -2: more than one. */
static ss_status find_partners(ss_arena *arena, const ss_inclusion *inclusion, int **partner)
{
    SS_TRY(SS_ARENA_NEW(arena, inclusion->n_blocks, partner));
    for (int i = 0; i < inclusion->n_blocks; i++)
        (*partner)[i] = -1;
    for (int i = 0; i < inclusion->n_blocks; i++) {
        int from = inclusion->blocks[i].scale_from;
        if (from >= 0)
            (*partner)[from] = (*partner)[from] == -1 ? i : -2;
    }
    return SS_OK;
}

static ss_status check_contact(ss_context *context, const ss_inclusion *inclusion, int normal,
                               int friction)
{
    bool round = friction >= 0 && ss_set_is_round(inclusion->blocks[friction].set);
    if (round && inclusion->blocks[normal].set->kind == SS_SET_HALF_LINE)
        return SS_OK;
    return ss_fail(context, SS_UNSUPPORTED,
                   "forces 'cone_complementarity' wants half lines with one planar or round "
                   "friction each; block %d is another",
                   normal);
}

/* Columns of one factor of a cone: [w_N, w_T], zero where only the other has the system. */
static ss_status join_factor(ss_arena *arena, const ss_factor *N, const ss_factor *T, int m,
                             ss_factor *joined)
{
    const ss_factor *any = N ? N : T;
    size_t nu = (size_t)any->nu;
    double *W, *MinvW;
    SS_TRY(SS_ARENA_NEW(arena, nu * (size_t)(1 + m), &W));
    SS_TRY(SS_ARENA_NEW(arena, nu * (size_t)(1 + m), &MinvW));
    if (N) {
        memcpy(W, N->W, nu * sizeof *W);
        memcpy(MinvW, N->MinvW, nu * sizeof *W);
    }
    if (T) {
        memcpy(W + nu, T->W, nu * (size_t)m * sizeof *W);
        memcpy(MinvW + nu, T->MinvW, nu * (size_t)m * sizeof *W);
    }
    *joined = (ss_factor){.u_offset = any->u_offset, .nu = any->nu, .W = W, .MinvW = MinvW};
    return SS_OK;
}

static const ss_factor *same_system(const ss_inclusion *inclusion, int block, const ss_factor *F)
{
    for (int k = inclusion->factor_start[block]; k < inclusion->factor_start[block + 1]; k++)
        if (inclusion->factors[k].u_offset == F->u_offset && inclusion->factors[k].nu == F->nu)
            return &inclusion->factors[k];
    return NULL;
}

static ss_status join_factors(ss_arena *arena, const ss_inclusion *given, int normal, int friction,
                              ss_factor *factors, int *n)
{
    int m = given->blocks[friction].dim;
    for (int k = given->factor_start[normal]; k < given->factor_start[normal + 1]; k++) {
        const ss_factor *N = &given->factors[k];
        SS_TRY(join_factor(arena, N, same_system(given, friction, N), m, &factors[(*n)++]));
    }
    for (int k = given->factor_start[friction]; k < given->factor_start[friction + 1]; k++)
        if (!same_system(given, normal, &given->factors[k]))
            SS_TRY(join_factor(arena, NULL, &given->factors[k], m, &factors[(*n)++]));
    return SS_OK;
}

/* Blocks and the order of rows; `origin` is the first block of the given inclusion in each. */
static ss_status lay_out_cones(ss_substitute *t, const ss_inclusion *given, const int *partners,
                               int *origin)
{
    ss_block *blocks;
    int n = 0, rows = 0;
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_blocks, &blocks));
    for (int i = 0; i < given->n_blocks; i++) {
        const ss_block *B = &given->blocks[i];
        int partner = partners[i], m = partner >= 0 ? given->blocks[partner].dim : 0;
        if (B->scale_from >= 0)
            continue;
        if (partner != -1)
            SS_TRY(check_contact(t->context, given, i, partner));
        origin[n] = i;
        blocks[n] = *B;
        blocks[n].offset = rows;
        for (int k = 0; k < B->dim; k++)
            t->row[rows++] = B->offset + k;
        for (int k = 0; k < m; k++)
            t->row[rows++] = given->blocks[partner].offset + k;
        if (m > 0) {
            ss_friction_cone *cone;
            ss_set *set;
            SS_TRY(SS_ARENA_NEW(&t->arena, 1, &cone));
            SS_TRY(SS_ARENA_NEW(&t->arena, 1, &set));
            cone->mu = given->blocks[partner].scale;
            *set = (ss_set){&ss_set_type_cone, cone, 1 + m};
            blocks[n].set = set;
            blocks[n].dim = 1 + m;
            blocks[n].scale = 1.0;
        }
        n++;
    }
    t->inclusion.blocks = blocks;
    t->inclusion.n_blocks = n;
    return SS_OK;
}

static ss_status join_all_factors(ss_substitute *t, const ss_inclusion *given, const int *partners,
                                  const int *origin)
{
    int *start, n = 0;
    ss_factor *factors;
    double *b;
    int count = given->factor_start[given->n_blocks] - given->factor_start[0];
    SS_TRY(SS_ARENA_NEW(&t->arena, t->inclusion.n_blocks + 1, &start));
    SS_TRY(SS_ARENA_NEW(&t->arena, count, &factors));
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_rows, &b));
    SS_TRY(SS_ARENA_NEW(&t->arena, given->n_u, &t->u));
    for (int i = 0; i < t->inclusion.n_blocks; i++) {
        int partner = partners[origin[i]];
        start[i] = n;
        if (partner >= 0)
            SS_TRY(join_factors(&t->arena, given, origin[i], partner, factors, &n));
        else
            for (int k = given->factor_start[origin[i]]; k < given->factor_start[origin[i] + 1];
                 k++)
                factors[n++] = given->factors[k];
    }
    start[t->inclusion.n_blocks] = n;
    for (int k = 0; k < given->n_rows; k++)
        b[k] = given->b[t->row[k]];
    t->inclusion.factor_start = start;
    t->inclusion.factors = factors;
    t->inclusion.b = b;
    return SS_OK;
}

/* A dense G in the new order of rows. */
static ss_status reorder(ss_substitute *t, const ss_inclusion *given)
{
    enum { MOST_ROWS = 3000 };
    size_t n = (size_t)given->n_rows;
    double *G, *c;
    int *place;
    if (given->n_rows > MOST_ROWS)
        return ss_fail(t->context, SS_UNSUPPORTED,
                       "forces 'cone_complementarity' takes assembled problems of up to %d rows",
                       (int)MOST_ROWS);
    SS_TRY(SS_ARENA_NEW(&t->arena, n * n, &G));
    SS_TRY(SS_ARENA_NEW(&t->arena, n, &c));
    SS_TRY(SS_ARENA_NEW(&t->arena, n, &place));
    for (size_t k = 0; k < n; k++) {
        place[t->row[k]] = (int)k;
        c[k] = given->c[t->row[k]];
    }
    for (int i = 0; i < given->n_blocks; i++)
        for (int e = given->entry_start[i]; e < given->entry_start[i + 1]; e++) {
            const ss_block *I = &given->blocks[i], *J = &given->blocks[given->entries[e].column];
            for (int a = 0; a < I->dim; a++)
                for (int b = 0; b < J->dim; b++)
                    G[(size_t)place[I->offset + a] * n + (size_t)place[J->offset + b]] =
                        given->entries[e].value[a * J->dim + b];
        }
    SS_TRY(ss_inclusion_from_dense(t->context, t->inclusion.n_blocks, t->inclusion.blocks, G, c,
                                   &t->assembled));
    t->inclusion = *t->assembled;
    return SS_OK;
}

ss_status ss_substitute_cones(ss_substitute *t, ss_context *context, const ss_inclusion *inclusion)
{
    int *origin, *partners;
    if (inclusion->refresh)
        return ss_fail(context, SS_UNSUPPORTED,
                       "forces 'cone_complementarity' does not go with an implicit scheme");
    SS_TRY(begin(t, context, inclusion));
    SS_TRY(SS_ARENA_NEW(&t->arena, inclusion->n_blocks, &origin));
    SS_TRY(find_partners(&t->arena, inclusion, &partners));
    SS_TRY(lay_out_cones(t, inclusion, partners, origin));
    return inclusion->factor_start ? join_all_factors(t, inclusion, partners, origin)
                                   : reorder(t, inclusion);
}
