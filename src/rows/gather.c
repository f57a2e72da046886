/* gather.c: an inclusion gathered in groups for solvers that want G itself. */
#include "rows/gather.h"

#include "la/small.h"
#include "rows/check.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Sources of G_ij for both forms, and markers. */
typedef struct gathering {
    ss_gathered *g;
    ss_context *context;
    const ss_inclusion *inclusion;
} gathering;

static bool is_normal(const ss_block *B)
{
    return B->scale_from < 0 && B->set->kind == SS_SET_HALF_LINE;
}

static bool is_friction(const ss_inclusion *A, int i)
{
    const ss_block *B = &A->blocks[i];
    if (B->scale_from < 0 || !is_normal(&A->blocks[B->scale_from]))
        return false;
    return ss_set_is_round(B->set);
}

static int larger(int capacity, int need)
{
    int more = capacity < INT_MAX / 2 ? capacity + capacity / 2 : capacity;
    return need <= capacity ? capacity : need > more ? need : more;
}

static bool fits(const ss_gathered *g, struct ss_gather_capacity need)
{
    const struct ss_gather_capacity *capacity = &g->capacity;
    return g->has_arena && need.groups <= capacity->groups && need.rows <= capacity->rows &&
           need.entries <= capacity->entries && need.numbers <= capacity->numbers &&
           need.diagonal <= capacity->diagonal && need.blocks <= capacity->blocks &&
           need.velocities <= capacity->velocities && need.factors <= capacity->factors;
}

static ss_status reserve_capacity(ss_gathered *g, ss_context *context,
                                  struct ss_gather_capacity need)
{
    struct ss_gather_capacity *capacity = &g->capacity, more;
    if (fits(g, need))
        return SS_OK;
    more = (struct ss_gather_capacity){
        .groups = larger(capacity->groups, need.groups),
        .rows = larger(capacity->rows, need.rows),
        .entries = larger(capacity->entries, need.entries),
        .numbers = larger(capacity->numbers, need.numbers),
        .diagonal = larger(capacity->diagonal, need.diagonal),
        .blocks = larger(capacity->blocks, need.blocks),
        .velocities = larger(capacity->velocities, need.velocities),
        .factors = larger(capacity->factors, need.factors),
    };
    ss_gathered_release(g);
    ss_arena_init(&g->arena, context);
    g->has_arena = true;
    SS_TRY(SS_ARENA_NEW(&g->arena, more.groups, &g->groups));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.rows, &g->home));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.blocks, &g->group_of));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.blocks, &g->row_of));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.groups + 1, &g->start));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.entries, &g->column));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.entries, &g->place));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.numbers, &g->value));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.diagonal, &g->diagonal));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.rows, &g->c));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.velocities, &g->coupling.head));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.factors, &g->coupling.next));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.factors, &g->coupling.owner));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.blocks, &g->coupling.marker));
    SS_TRY(SS_ARENA_NEW(&g->arena, more.blocks, &g->neighbours));
    g->capacity = more;
    return SS_OK;
}

void ss_gathered_release(ss_gathered *g)
{
    if (g->has_arena)
        ss_arena_release(&g->arena);
    g->has_arena = false;
    g->capacity = (struct ss_gather_capacity){0};
}

/* Upper bounds, from the blocks' own entries. */
static ss_status measure_assembled(const ss_inclusion *A, struct ss_gather_capacity *need)
{
    /* An entry of one number may belong to a group of three rows. */
    size_t most = 3, entries = (size_t)(A->entry_start[A->n_blocks] - A->entry_start[0]);
    for (int i = 0; i < A->n_blocks; i++)
        most = (size_t)A->blocks[i].dim > most ? (size_t)A->blocks[i].dim : most;
    size_t numbers = entries * most * most;
    if (numbers > INT_MAX)
        return SS_UNSUPPORTED;
    need->entries = (int)entries;
    need->numbers = (int)numbers;
    return SS_OK;
}

/* The chains of factors come first: they tell how much more is needed. */
static ss_status chain_factors(gathering *w)
{
    const ss_inclusion *A = w->inclusion;
    struct ss_gather_capacity need = {
        .blocks = A->n_blocks,
        .velocities = A->n_u,
        .factors = A->factor_start[A->n_blocks],
    };
    SS_TRY(reserve_capacity(w->g, w->context, need));
    ss_coupling_build(A, &w->g->coupling);
    return SS_OK;
}

static ss_status measure_factored(gathering *w, struct ss_gather_capacity *need)
{
    const ss_inclusion *A = w->inclusion;
    size_t entries = 0, numbers = 0;
    SS_TRY(chain_factors(w));
    for (int i = 0; i < A->n_blocks; i++) {
        int count = ss_coupling_neighbours(A, &w->g->coupling, i, w->g->neighbours);
        int m = A->blocks[i].dim < 3 ? 3 : A->blocks[i].dim;
        entries += (size_t)count;
        for (int e = 0; e < count; e++) {
            int n = A->blocks[w->g->neighbours[e]].dim;
            numbers += (size_t)(m * (n < 3 ? 3 : n));
        }
        if (numbers > INT_MAX)
            return SS_UNSUPPORTED;
    }
    need->entries = (int)entries;
    need->numbers = (int)numbers;
    return SS_OK;
}

static ss_status prepare(gathering *w)
{
    const ss_inclusion *A = w->inclusion;
    struct ss_gather_capacity need = {
        .groups = A->n_blocks,
        .rows = A->n_rows,
        .blocks = A->n_blocks,
        .velocities = A->factor_start ? A->n_u : 0,
        .factors = A->factor_start ? A->factor_start[A->n_blocks] : 0,
    };
    size_t diagonal = 0;
    for (int i = 0; i < A->n_blocks; i++) {
        int dim = A->blocks[i].dim;
        diagonal += (size_t)(dim < 3 ? 9 : dim * dim);
    }
    need.diagonal = (int)diagonal;
    ss_status status = A->factor_start ? measure_factored(w, &need) : measure_assembled(A, &need);
    if (status == SS_UNSUPPORTED || diagonal > INT_MAX)
        return ss_fail(w->context, SS_UNSUPPORTED,
                       "inclusion: G has more than %d elements; choose a solver that needs the "
                       "factored form only, as sorprox",
                       INT_MAX);
    SS_TRY(status);
    bool chained = A->factor_start && fits(w->g, need);
    SS_TRY(reserve_capacity(w->g, w->context, need));
    if (A->factor_start && !chained) /* the chains were lost with the old capacity */
        SS_TRY(chain_factors(w));
    return SS_OK;
}

/* Groups in the order of their first blocks. group_of serves as the tangential block of a normal
 * one on the way. */
static void group_blocks(ss_gathered *g, const ss_inclusion *A)
{
    int *partner = g->group_of;
    for (int i = 0; i < A->n_blocks; i++)
        partner[i] = -1;
    for (int i = 0; i < A->n_blocks; i++)
        if (is_friction(A, i) && partner[A->blocks[i].scale_from] < 0) {
            partner[A->blocks[i].scale_from] = i;
            partner[i] = -2;
        }
    g->n_groups = g->n_rows = g->uniform = 0;
    int diagonal = 0;
    for (int i = 0; i < A->n_blocks; i++) {
        if (partner[i] == -2)
            continue;
        const ss_block *B = &A->blocks[i];
        ss_gathered_group *group = &g->groups[g->n_groups++];
        *group = (ss_gathered_group){.row = g->n_rows,
                                     .dim = B->dim,
                                     .normal = i,
                                     .tangential = partner[i],
                                     .diagonal = diagonal,
                                     .kind = B->set->kind};
        if (partner[i] >= 0) {
            group->dim += A->blocks[partner[i]].dim;
            group->mu = A->blocks[partner[i]].scale;
        }
        g->n_rows += group->dim;
        diagonal += group->dim * group->dim;
        bool same = group->tangential >= 0 && group->dim == g->groups[0].dim;
        g->uniform = !same ? 0 : g->n_groups == 1 ? group->dim : g->uniform;
    }
}

static void place_rows(ss_gathered *g, const ss_inclusion *A)
{
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *group = &g->groups[k];
        const ss_block *N = &A->blocks[group->normal];
        g->group_of[group->normal] = k;
        g->row_of[group->normal] = group->row;
        for (int r = 0; r < N->dim; r++)
            g->home[group->row + r] = N->offset + r;
        if (group->tangential < 0)
            continue;
        const ss_block *T = &A->blocks[group->tangential];
        g->group_of[group->tangential] = k;
        g->row_of[group->tangential] = group->row + N->dim;
        for (int r = 0; r < T->dim; r++)
            g->home[group->row + N->dim + r] = T->offset + r;
    }
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Adds the groups of one block's columns to group row k; marker tells which are there already. */
static void add_columns(const gathering *w, int block, int k, int *marker, ss_gathered *g)
{
    const ss_inclusion *A = w->inclusion;
    int count, i = block;
    if (A->factor_start)
        count = ss_coupling_neighbours(A, &w->g->coupling, i, w->g->neighbours);
    else
        count = A->entry_start[i + 1] - A->entry_start[i];
    for (int e = 0; e < count; e++) {
        int j = A->factor_start ? w->g->neighbours[e] : A->entries[A->entry_start[i] + e].column;
        int h = g->group_of[j];
        if (h == k || marker[h] == k)
            continue;
        marker[h] = k;
        g->column[g->n_entries++] = h;
    }
}

static void find_columns(gathering *w, int *marker)
{
    ss_gathered *g = w->g;
    g->n_entries = g->n_numbers = 0;
    for (int h = 0; h < g->n_groups; h++)
        marker[h] = -1;
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *group = &g->groups[k];
        g->start[k] = g->n_entries;
        add_columns(w, group->normal, k, marker, g);
        if (group->tangential >= 0)
            add_columns(w, group->tangential, k, marker, g);
        int count = g->n_entries - g->start[k];
        bool sorted = true;
        for (int e = g->start[k] + 1; e < g->n_entries; e++)
            sorted = sorted && g->column[e - 1] < g->column[e];
        if (!sorted)
            qsort(g->column + g->start[k], (size_t)count, sizeof *g->column, ascending);
        for (int e = g->start[k]; e < g->n_entries; e++) {
            g->place[e] = g->n_numbers;
            g->n_numbers += group->dim * g->groups[g->column[e]].dim;
        }
    }
    g->start[g->n_groups] = g->n_entries;
}

/* Copies G_ij, m × n, into a block with `columns` columns at (row, column). */
static void copy_part(int m, int n, const double *Gij, int row, int column, int columns, double *to)
{
    to += row * columns + column;
    for (int a = 0; a < m; a++)
        for (int b = 0; b < n; b++)
            to[a * columns + b] = Gij[a * n + b];
}

static void fill_block(const gathering *w, int block, int k, const int *entry_of)
{
    const ss_inclusion *A = w->inclusion;
    ss_gathered *g = w->g;
    double own[SS_SET_MAX_DIM * SS_SET_MAX_DIM];
    int i = block, count, dim = A->blocks[i].dim, row = g->row_of[i] - g->groups[k].row;
    if (A->factor_start)
        count = ss_coupling_neighbours(A, &w->g->coupling, i, w->g->neighbours);
    else
        count = A->entry_start[i + 1] - A->entry_start[i];
    for (int e = 0; e < count; e++) {
        const ss_entry *E = A->factor_start ? NULL : &A->entries[A->entry_start[i] + e];
        int j = E ? E->column : w->g->neighbours[e], h = g->group_of[j];
        const ss_gathered_group *H = &g->groups[h];
        if (!E)
            ss_inclusion_couple(A, i, j, own);
        double *to = h == k ? g->diagonal + H->diagonal : g->value + g->place[entry_of[h]];
        copy_part(dim, A->blocks[j].dim, E ? E->value : own, row, g->row_of[j] - H->row, H->dim,
                  to);
    }
}

static void fill(const gathering *w, int *entry_of)
{
    ss_gathered *g = w->g;
    if (g->n_groups == 0)
        return;
    const ss_gathered_group *last = &g->groups[g->n_groups - 1];
    memset(g->value, 0, (size_t)g->n_numbers * sizeof *g->value);
    memset(g->diagonal, 0, (size_t)(last->diagonal + last->dim * last->dim) * sizeof *g->diagonal);
    for (int k = 0; k < g->n_groups; k++) {
        for (int e = g->start[k]; e < g->start[k + 1]; e++)
            entry_of[g->column[e]] = e;
        fill_block(w, g->groups[k].normal, k, entry_of);
        if (g->groups[k].tangential >= 0)
            fill_block(w, g->groups[k].tangential, k, entry_of);
    }
}

static double inverse(double diagonal, double default_value)
{
    return diagonal < DBL_MIN ? default_value : 1.0 / diagonal;
}

/* r_N and r_T, first as diagonals, then inverted: what moves nothing has the smallest r of all. */
static void natural_r(ss_gathered *g)
{
    double largest = 0.0;
    for (int k = 0; k < g->n_groups; k++) {
        ss_gathered_group *group = &g->groups[k];
        const double *G = g->diagonal + group->diagonal;
        int dim_N = group->tangential < 0 ? group->dim : 1;
        group->r_N = group->r_T = 0.0;
        for (int a = 0; a < group->dim; a++) {
            double *r = a < dim_N ? &group->r_N : &group->r_T;
            *r = fmax(*r, G[a * group->dim + a]);
            largest = fmax(largest, *r);
        }
    }
    double default_value = inverse(largest, 1.0);
    for (int k = 0; k < g->n_groups; k++) {
        g->groups[k].r_N = inverse(g->groups[k].r_N, default_value);
        g->groups[k].r_T = inverse(g->groups[k].r_T, default_value);
    }
}

/* Finite when all are, but for overflow. */
static double sum_of(int n, const double *x)
{
    double s0 = 0.0, s1 = 0.0;
    int k = 0;
    for (; k + 2 <= n; k += 2) {
        s0 += x[k];
        s1 += x[k + 1];
    }
    return k < n ? s0 + s1 + x[k] : s0 + s1;
}

static ss_status take_load(gathering *w)
{
    ss_gathered *g = w->g;
    const ss_inclusion *A = w->inclusion;
    g->load = g->c_norm = 0.0;
    g->coulomb = true;
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *group = &g->groups[k];
        double *c = g->c + group->row;
        double c_block[SS_SET_MAX_DIM];
        int dim_N = A->blocks[group->normal].dim;
        for (int side = 0; side < 2; side++) {
            int i = side ? group->tangential : group->normal;
            if (i < 0)
                continue;
            const double *from = A->factor_start ? c_block : A->c + A->blocks[i].offset;
            if (A->factor_start)
                ss_inclusion_velocity(A, NULL, A->u_free, i, c_block);
            memcpy(c + (side ? dim_N : 0), from, (size_t)A->blocks[i].dim * sizeof *c);
            g->load = ss_max_nan(g->load, sqrt(side ? group->r_T : group->r_N) *
                                              ss_norm(A->blocks[i].dim, from));
        }
        g->coulomb = g->coulomb &&
                     (group->kind == SS_SET_FREE ||
                      (group->kind == SS_SET_HALF_LINE && A->blocks[group->normal].scale_from < 0));
    }
    g->c_norm = sqrt(ss_dot(g->n_rows, g->c, g->c));
    if (isfinite(g->load) && isfinite(sum_of(g->n_numbers, g->value)))
        return SS_OK;
    SS_TRY(ss_inclusion_check_numbers(w->context, A));
    return ss_fail(w->context, SS_NON_FINITE, "inclusion: its numbers overflow");
}

static void gather_any(gathering *w)
{
    int *marker = w->g->home; /* filled last: free until then, and long enough for every group */
    find_columns(w, marker);
    fill(w, marker);
}

static ss_status gather(gathering *w)
{
    SS_TRY(prepare(w));
    group_blocks(w->g, w->inclusion);
    place_rows(w->g, w->inclusion);
    if (!ss_gather_contacts(w->g, w->inclusion)) {
        gather_any(w);
        place_rows(w->g, w->inclusion);
    }
    natural_r(w->g);
    return take_load(w);
}

ss_status ss_gather(ss_gathered *gathered, ss_context *context, const ss_inclusion *inclusion)
{
    gathering w = {gathered, context, inclusion};
    gathered->context = context;
    return gather(&w);
}
