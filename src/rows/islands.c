/* islands.c: an inclusion cut into islands, each an inclusion of its own. */
#include "rows/islands.h"

#include "base/union_find.h"
#include "la/small.h"
#include "rows/body_rows.h"
#include "rows/residual.h"

#include <string.h>

/* ---- Memory ---- */

void ss_islands_release(ss_islands *s)
{
    if (s->has_arena)
        ss_arena_release(&s->arena);
    *s = (ss_islands){0};
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

ss_status ss_islands_reserve(ss_islands *s, ss_context *context, int n_blocks, int n_rows, int n_u,
                             int n_parts)
{
    if (s->has_arena && n_blocks <= s->capacity_blocks && n_rows <= s->capacity_rows &&
        n_u <= s->capacity_u && n_parts <= s->capacity_parts)
        return SS_OK;
    int blocks = larger(n_blocks, s->capacity_blocks), rows = larger(n_rows, s->capacity_rows);
    int u = larger(n_u, s->capacity_u), parts = larger(n_parts, s->capacity_parts);
    ss_islands_release(s);
    ss_arena_init(&s->arena, context);
    s->has_arena = true;
    int **const by_blocks[] = {&s->start, &s->blocks, &s->number, &s->part_start};
    int **const by_u[] = {&s->offset, &s->systems, &s->sizes};
    double **const by_rows[] = {&s->P, &s->b, &s->c};
    for (int k = 0; k < 4; k++)
        SS_TRY(SS_ARENA_NEW(&s->arena, blocks + 1, by_blocks[k]));
    for (int k = 0; k < 3; k++) {
        SS_TRY(SS_ARENA_NEW(&s->arena, u, by_u[k]));
        SS_TRY(SS_ARENA_NEW(&s->arena, rows, by_rows[k]));
    }
    SS_TRY(SS_ARENA_NEW(&s->arena, u + blocks, &s->parent));
    SS_TRY(SS_ARENA_NEW(&s->arena, u + blocks, &s->label));
    SS_TRY(SS_ARENA_NEW(&s->arena, u, &s->u));
    SS_TRY(SS_ARENA_NEW(&s->arena, u, &s->u_free));
    SS_TRY(SS_ARENA_NEW(&s->arena, blocks, &s->part_blocks));
    SS_TRY(SS_ARENA_NEW(&s->arena, parts, &s->factors));
    SS_TRY(SS_ARENA_NEW(&s->arena, parts, &s->entries));
    s->capacity_blocks = blocks;
    s->capacity_rows = rows;
    s->capacity_u = u;
    s->capacity_parts = parts;
    return SS_OK;
}

/* ---- Which blocks are connected ---- */

static bool any(size_t n, const double *x)
{
    for (size_t k = 0; k < n; k++)
        if (x[k] != 0)
            return true;
    return false;
}

/* What is prescribed connects nothing: impulses do not move it. */
static void join_factored(const ss_islands *s, const ss_inclusion *A, int i)
{
    for (int k = A->factor_start[i]; k < A->factor_start[i + 1]; k++) {
        const ss_factor *F = &A->factors[k];
        if (any((size_t)(F->nu * A->blocks[i].dim), F->MinvW))
            ss_union_join(s->parent, F->u_offset, A->n_u + i);
    }
}

static void join_assembled(const ss_islands *s, const ss_inclusion *A, int i)
{
    for (int e = A->entry_start[i]; e < A->entry_start[i + 1]; e++) {
        int j = A->entries[e].column;
        if (j != i && any((size_t)(A->blocks[i].dim * A->blocks[j].dim), A->entries[e].value))
            ss_union_join(s->parent, i, j);
    }
}

/* Islands in the order of their first blocks; blocks of an island in their own order. */
static void list_blocks(ss_islands *s, const ss_inclusion *A, int n_u)
{
    int *island = s->number, *label = s->label;
    s->count = 0;
    for (int i = 0; i < n_u + A->n_blocks; i++)
        label[i] = -1;
    for (int i = 0; i < A->n_blocks; i++) {
        int root = ss_union_root(s->parent, n_u + i);
        if (label[root] < 0) {
            label[root] = s->count++;
            s->start[label[root] + 1] = 0;
        }
        island[i] = label[root];
        s->start[island[i] + 1]++;
    }
    s->start[0] = 0;
    for (int k = 0; k < s->count; k++)
        s->start[k + 1] += s->start[k];
    memcpy(label, s->start, (size_t)s->count * sizeof *label);
    for (int i = 0; i < A->n_blocks; i++)
        s->blocks[label[island[i]]++] = i;
}

ss_status ss_islands_find(ss_islands *s, ss_context *context, const ss_inclusion *A)
{
    int n_u = A->factor_start ? A->n_u : 0;
    const int *start = A->factor_start ? A->factor_start : A->entry_start;
    SS_TRY(ss_islands_reserve(s, context, A->n_blocks, A->n_rows, n_u, start[A->n_blocks]));
    for (int i = 0; i < n_u + A->n_blocks; i++)
        s->parent[i] = i;
    for (int i = 0; i < A->n_blocks; i++) {
        if (A->factor_start)
            join_factored(s, A, i);
        else
            join_assembled(s, A, i);
        if (A->blocks[i].scale_from >= 0)
            ss_union_join(s->parent, n_u + i, n_u + A->blocks[i].scale_from);
    }
    list_blocks(s, A, n_u);
    for (int i = 0; i < n_u; i++)
        s->offset[i] = -1;
    return SS_OK;
}

/* ---- One of them ---- */

/* Where a system begins in the island. */
static int local_offset(ss_islands *s, const ss_inclusion *A, const ss_factor *F)
{
    int *offset = &s->offset[F->u_offset];
    if (*offset >= 0)
        return *offset;
    *offset = s->part.n_u;
    memcpy(s->u_free + s->part.n_u, A->u_free + F->u_offset, (size_t)F->nu * sizeof *s->u_free);
    s->systems[s->n_systems] = F->u_offset;
    s->sizes[s->n_systems++] = F->nu;
    s->part.n_u += F->nu;
    return *offset;
}

static int take_factors(ss_islands *s, const ss_inclusion *A, int i, int n)
{
    for (int k = A->factor_start[i]; k < A->factor_start[i + 1]; k++, n++) {
        s->factors[n] = A->factors[k];
        s->factors[n].u_offset = local_offset(s, A, &A->factors[k]);
    }
    return n;
}

/* Entries of zeros may lead to other islands. */
static int take_entries(ss_islands *s, const ss_inclusion *A, int i, int k, int n)
{
    for (int e = A->entry_start[i]; e < A->entry_start[i + 1]; e++) {
        int j = A->entries[e].column;
        bool mine = ss_union_root(s->parent, j) == ss_union_root(s->parent, s->blocks[s->start[k]]);
        if (mine)
            s->entries[n++] = (ss_entry){s->number[j], A->entries[e].value};
    }
    return n;
}

void ss_islands_take(ss_islands *s, const ss_inclusion *A, int k, const double *P)
{
    int first = s->start[k], n = 0;
    const double *b = A->factor_start ? A->b : A->c;
    double *to = A->factor_start ? s->b : s->c;
    s->part = (ss_inclusion){.n_blocks = s->start[k + 1] - first, .blocks = s->part_blocks};
    s->n_systems = 0;
    for (int m = 0; m < s->part.n_blocks; m++)
        s->number[s->blocks[first + m]] = m;
    for (int m = 0; m < s->part.n_blocks; m++) {
        int i = s->blocks[first + m];
        ss_block *B = &s->part_blocks[m];
        *B = A->blocks[i];
        B->offset = s->part.n_rows;
        B->scale_from = B->scale_from < 0 ? -1 : s->number[B->scale_from];
        memcpy(to + B->offset, b + A->blocks[i].offset, (size_t)B->dim * sizeof *to);
        memcpy(s->P + B->offset, P + A->blocks[i].offset, (size_t)B->dim * sizeof *P);
        s->part.n_rows += B->dim;
        s->part_start[m] = n;
        n = A->factor_start ? take_factors(s, A, i, n) : take_entries(s, A, i, k, n);
    }
    s->part_start[s->part.n_blocks] = n;
    if (A->factor_start) {
        s->part.factor_start = s->part_start;
        s->part.factors = s->factors;
        s->part.u_free = s->u_free;
        s->part.b = s->b;
    } else {
        s->part.entry_start = s->part_start;
        s->part.entries = s->entries;
        s->part.c = s->c;
    }
}

void ss_islands_show(const ss_islands *s, const ss_inclusion *A, int k, const double *part,
                     double *P)
{
    for (int m = 0; m < s->part.n_blocks; m++) {
        const ss_block *B = &A->blocks[s->blocks[s->start[k] + m]];
        memcpy(P + B->offset, part + s->part_blocks[m].offset, (size_t)B->dim * sizeof *P);
    }
}

void ss_islands_give(ss_islands *s, const ss_inclusion *A, int k, double *P, double *u)
{
    ss_islands_show(s, A, k, s->P, P);
    for (int i = 0; i < s->n_systems; i++) {
        int *offset = &s->offset[s->systems[i]];
        memcpy(u + s->systems[i], s->u + *offset, (size_t)s->sizes[i] * sizeof *u);
        *offset = -1;
    }
}

/* ---- Islands of a store of rows ---- */

int ss_rows_block_node(const ss_rows *c, int i)
{
    const ss_general_rows *g = &c->general;
    const ss_inclusion *A = &g->inclusion;
    if (ss_block_has_body_rows(g, i))
        return g->bodies[i][1];
    for (int k = A->factor_start[i]; k < A->factor_start[i + 1]; k++) {
        const ss_factor *F = &A->factors[k];
        if (any((size_t)(F->nu * A->blocks[i].dim), F->MinvW))
            return ss_rows_node(c, F->u_offset);
    }
    return 0;
}

static void join_block(ss_rows *c, int i)
{
    const ss_general_rows *g = &c->general;
    const ss_inclusion *A = &g->inclusion;
    int first = ss_rows_block_node(c, i);
    if (ss_block_has_body_rows(g, i)) {
        if (g->bodies[i][0] > 0)
            ss_union_join(c->island, g->bodies[i][0], first);
        return;
    }
    for (int k = A->factor_start[i]; k < A->factor_start[i + 1]; k++) {
        const ss_factor *F = &A->factors[k];
        if (any((size_t)(F->nu * A->blocks[i].dim), F->MinvW))
            ss_union_join(c->island, first, ss_rows_node(c, F->u_offset));
    }
}

/* √r ‖γ‖ of a block without impulses becomes the load of its node, if it is larger. */
static void give_load(ss_rows *c, int i, const double *r)
{
    const ss_general_rows *g = &c->general;
    int node = ss_rows_block_node(c, i), normal = ss_inclusion_normal(&g->inclusion, i);
    double gamma[SS_SET_MAX_DIM];
    ss_rows_block_velocity(g, c->free, i, gamma);
    double load2 = r[i] * ss_dot(g->inclusion.blocks[i].dim, gamma, gamma);
    if (g->asleep[i] || !(load2 > c->load2[node]))
        return;
    c->load2[node] = load2;
    c->load_r[node] = normal < 0 ? 0 : r[normal];
}

static void join_contacts(ss_rows *c)
{
    for (int i = 0; i < c->n_contacts; i++) {
        const ss_row_contact *t = &c->contacts[i];
        if (t->form != SS_ROW_GENERAL && !t->asleep && t->a > 0 && t->b > 0)
            ss_union_join(c->island, t->a, t->b);
    }
}

void ss_rows_join_loads(ss_rows *c, const double *r)
{
    c->load2[0] = c->load_r[0] = 0;
    for (int i = 0; i >= 0; i = ss_rows_next_node(c, i))
        c->island[i] = i;
    for (int i = 0; i < ss_rows_rest_nodes(c); i++) {
        int node = c->n_bodies + 2 * SS_SUBDOMAINS + i;
        c->load2[node] = c->load_r[node] = 0;
    }
    join_contacts(c);
    for (int i = 0; i < c->general.inclusion.n_blocks; i++) {
        join_block(c, i);
        give_load(c, i, r);
    }
    double most = 0;
    for (int i = 0; i >= 0; i = ss_rows_next_node(c, i)) {
        int root = ss_union_root(c->island, i);
        if (c->load2[i] > c->load2[root]) {
            c->load2[root] = c->load2[i];
            c->load_r[root] = c->load_r[i];
        }
        most = ss_larger(c->load2[root], most);
    }
    for (int i = 0; i >= 0; i = ss_rows_next_node(c, i)) {
        int root = c->island[i] = ss_union_root(c->island, i);
        c->load2[i] = c->load2[root];
        c->load_r[i] = c->load_r[root];
    }
    c->reference = sqrt(most);
}

void ss_rows_join_errors(ss_rows *c)
{
    const int *root = c->island; /* ss_rows_join_loads has put the root of every node there */
    for (int i = 0; i >= 0; i = ss_rows_next_node(c, i)) {
        c->error2[root[i]] = ss_max_nan(c->error2[root[i]], c->error2[i]);
        c->size2[root[i]] = ss_larger(c->size2[i], c->size2[root[i]]);
    }
    for (int i = 0; i >= 0; i = ss_rows_next_node(c, i)) {
        c->error2[i] = c->error2[root[i]];
        c->size2[i] = c->size2[root[i]];
    }
}
