/* gather.c: an inclusion gathered in groups for solvers that want G itself. */
#include "rows/gather.h"

#include "la/small.h"
#include "rows/check.h"
#include "rows/residual.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Whether a half line scales the interval or the disk of block i. */
static bool is_friction(const ss_inclusion *A, int i)
{
    const ss_block *B = &A->blocks[i], *N = B->scale_from < 0 ? NULL : &A->blocks[B->scale_from];
    return N && N->scale_from < 0 && N->set->kind == SS_SET_HALF_LINE && ss_set_is_round(B->set);
}

/* ---- Memory ---- */

static bool fits(const ss_gathered *g, const int need[SS_GATHER_SIZES])
{
    for (int k = 0; k < SS_GATHER_SIZES; k++)
        if (need[k] > g->capacity[k])
            return false;
    return g->has_arena;
}

void ss_gathered_release(ss_gathered *g)
{
    if (g->has_arena)
        ss_arena_release(&g->arena);
    g->has_arena = false;
    memset(g->capacity, 0, sizeof g->capacity);
}

static ss_status reserve(ss_gathered *g, const int need[SS_GATHER_SIZES])
{
    const struct {
        int which;
        void **array;
        size_t size;
    } arrays[] = {
#define ARRAY(which, pointer) {SS_GATHER_##which, (void **)&(pointer), sizeof *(pointer)}
        ARRAY(BLOCKS, g->group_of),
        ARRAY(BLOCKS, g->row_of),
        ARRAY(BLOCKS, g->neighbours),
        ARRAY(BLOCKS, g->coupling.marker),
        ARRAY(GROUPS, g->groups),
        ARRAY(GROUPS, g->start),
        ARRAY(ROWS, g->home),
        ARRAY(ROWS, g->c),
        ARRAY(ENTRIES, g->column),
        ARRAY(ENTRIES, g->place),
        ARRAY(NUMBERS, g->value),
        ARRAY(DIAGONAL, g->diagonal),
        ARRAY(VELOCITIES, g->coupling.head),
        ARRAY(FACTORS, g->coupling.next),
        ARRAY(FACTORS, g->coupling.owner),
#undef ARRAY
    };
    int more[SS_GATHER_SIZES];
    if (fits(g, need))
        return SS_OK;
    for (int k = 0; k < SS_GATHER_SIZES; k++) {
        int capacity = g->capacity[k];
        int grown = capacity < INT_MAX / 2 ? capacity + capacity / 2 : capacity;
        more[k] = need[k] <= capacity ? capacity : need[k] > grown ? need[k] : grown;
    }
    ss_gathered_release(g);
    ss_arena_init(&g->arena, g->context);
    g->has_arena = true;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        SS_TRY(ss_arena_allocate(&g->arena, (size_t)more[arrays[k].which] + 1, arrays[k].size,
                                 arrays[k].array));
    memcpy(g->capacity, more, sizeof more);
    return SS_OK;
}

/* Room for the groups; upper bounds from the blocks' own entries. One number may belong to a group of three rows. */
static ss_status prepare(ss_gathered *g, const ss_inclusion *A)
{
    int need[SS_GATHER_SIZES] = {
        [SS_GATHER_BLOCKS] = A->n_blocks,
        [SS_GATHER_VELOCITIES] = A->factor_start ? A->n_u : 0,
        [SS_GATHER_FACTORS] = A->factor_start ? A->factor_start[A->n_blocks] : 0,
    };
    size_t entries = 0, numbers = 0, diagonal = 0;
    SS_TRY(reserve(g, need));
    ss_coupling_build(A, &g->coupling);
    for (int i = 0; i < A->n_blocks && numbers <= INT_MAX; i++) {
        int count = ss_coupling_neighbours(A, &g->coupling, i, g->neighbours);
        int m = A->blocks[i].dim < 3 ? 3 : A->blocks[i].dim;
        entries += (size_t)count;
        diagonal += (size_t)(m * m);
        for (int e = 0; e < count; e++) {
            int n = A->blocks[g->neighbours[e]].dim;
            numbers += (size_t)(m * (n < 3 ? 3 : n));
        }
    }
    if (numbers > INT_MAX || diagonal > INT_MAX)
        return ss_fail(g->context, SS_UNSUPPORTED,
                       "inclusion: G has more than %d elements; choose a solver that needs the "
                       "factored form only, as sorprox",
                       INT_MAX);
    need[SS_GATHER_GROUPS] = A->n_blocks;
    need[SS_GATHER_ROWS] = A->n_rows;
    need[SS_GATHER_ENTRIES] = (int)entries;
    need[SS_GATHER_NUMBERS] = (int)numbers;
    need[SS_GATHER_DIAGONAL] = (int)diagonal;
    if (fits(g, need))
        return SS_OK;
    SS_TRY(reserve(g, need));
    ss_coupling_build(A, &g->coupling); /* the chains were lost with the old memory */
    return SS_OK;
}

/* ---- Groups ---- */

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
    for (int k = 0, row = 0; k < g->n_groups; k++) {
        const int blocks[2] = {g->groups[k].normal, g->groups[k].tangential};
        for (int side = 0; side < 2 && blocks[side] >= 0; side++) {
            const ss_block *B = &A->blocks[blocks[side]];
            g->group_of[blocks[side]] = k;
            g->row_of[blocks[side]] = row;
            for (int r = 0; r < B->dim; r++)
                g->home[row++] = B->offset + r;
        }
    }
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* ---- G of any inclusion ---- */

/* Adds the groups of one block's columns to group row k; marker tells which are there already. */
static void add_columns(ss_gathered *g, const ss_inclusion *A, int block, int k, int *marker)
{
    int count = ss_coupling_neighbours(A, &g->coupling, block, g->neighbours);
    for (int e = 0; e < count; e++) {
        int h = g->group_of[g->neighbours[e]];
        if (h == k || marker[h] == k)
            continue;
        marker[h] = k;
        g->column[g->n_entries++] = h;
    }
}

static void find_columns(ss_gathered *g, const ss_inclusion *A, int *marker)
{
    g->n_entries = g->n_numbers = 0;
    for (int h = 0; h < g->n_groups; h++)
        marker[h] = -1;
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *group = &g->groups[k];
        g->start[k] = g->n_entries;
        add_columns(g, A, group->normal, k, marker);
        if (group->tangential >= 0)
            add_columns(g, A, group->tangential, k, marker);
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

static void fill_block(ss_gathered *g, const ss_inclusion *A, int i, int k, const int *entry_of)
{
    double own[SS_SET_MAX_DIM * SS_SET_MAX_DIM];
    int count = ss_coupling_neighbours(A, &g->coupling, i, g->neighbours);
    for (int e = 0; e < count; e++) {
        int j = g->neighbours[e], h = g->group_of[j], n = A->blocks[j].dim;
        const ss_gathered_group *H = &g->groups[h];
        const double *G = A->factor_start ? ss_inclusion_G(A, i, j, own)
                                          : A->entries[A->entry_start[i] + e].value;
        double *to = h == k ? g->diagonal + H->diagonal : g->value + g->place[entry_of[h]];
        to += (g->row_of[i] - g->groups[k].row) * H->dim + g->row_of[j] - H->row;
        for (int a = 0; a < A->blocks[i].dim; a++)
            for (int b = 0; b < n; b++)
                to[a * H->dim + b] = G[a * n + b];
    }
}

static void gather_any(ss_gathered *g, const ss_inclusion *A)
{
    int *entry_of = g->home; /* filled last: free until then, and long enough for every group */
    find_columns(g, A, entry_of);
    if (g->n_groups == 0)
        return;
    const ss_gathered_group *last = &g->groups[g->n_groups - 1];
    memset(g->value, 0, (size_t)g->n_numbers * sizeof *g->value);
    memset(g->diagonal, 0, (size_t)(last->diagonal + last->dim * last->dim) * sizeof *g->diagonal);
    for (int k = 0; k < g->n_groups; k++) {
        for (int e = g->start[k]; e < g->start[k + 1]; e++)
            entry_of[g->column[e]] = e;
        fill_block(g, A, g->groups[k].normal, k, entry_of);
        if (g->groups[k].tangential >= 0)
            fill_block(g, A, g->groups[k].tangential, k, entry_of);
    }
}

/* ---- The short way for inclusions as problem files give them ---- */

/* The numbers of an entry between two contacts of d rows, from the four parts of G. */
static inline void copy_contact(int d, const ss_entry *N, const ss_entry *T, double *to)
{
    int m = d - 1;
    to[0] = N[0].value[0];
    for (int b = 0; b < m; b++)
        to[1 + b] = N[1].value[b];
    for (int a = 0; a < m; a++) {
        to[(a + 1) * d] = T[0].value[a];
        for (int b = 0; b < m; b++)
            to[(a + 1) * d + 1 + b] = T[1].value[a * m + b];
    }
}

/* One group row of an inclusion as problem files are read: normal and tangential blocks take
 * turns, in rows and in columns. False when it is not so. */
static inline bool gather_contact(ss_gathered *g, const ss_inclusion *A, int d, int k)
{
    int first = A->entry_start[2 * k], count = A->entry_start[2 * k + 1] - first;
    const ss_entry *N = A->entries + first, *T = N + count;
    if (count % 2 || A->entry_start[2 * k + 2] - A->entry_start[2 * k + 1] != count)
        return false;
    for (int e = 0; e < count; e += 2, N += 2, T += 2) {
        int h = N[0].column / 2;
        if (N[0].column != 2 * h || N[1].column != 2 * h + 1 || T[0].column != 2 * h ||
            T[1].column != 2 * h + 1)
            return false;
        if (h == k) {
            copy_contact(d, N, T, g->diagonal + k * d * d);
            continue;
        }
        g->column[g->n_entries] = h;
        g->place[g->n_entries++] = g->n_numbers;
        copy_contact(d, N, T, g->value + g->n_numbers);
        g->n_numbers += d * d;
    }
    return true;
}

/* All of G at once when it is so regular: this is what makes small problems fast. */
static bool gather_contacts(ss_gathered *g, const ss_inclusion *A)
{
    if (A->factor_start || !g->uniform || A->n_blocks != 2 * g->n_groups)
        return false;
    for (int k = 0; k < g->n_groups; k++)
        if (g->groups[k].normal != 2 * k || g->groups[k].tangential != 2 * k + 1)
            return false;
    g->n_entries = g->n_numbers = 0;
    for (int k = 0; k < g->n_groups; k++) {
        g->start[k] = g->n_entries;
        bool regular = g->uniform == 3 ? gather_contact(g, A, 3, k) : gather_contact(g, A, 2, k);
        if (!regular)
            return false;
    }
    g->start[g->n_groups] = g->n_entries;
    return true;
}

/* ---- Loads ---- */

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
    double default_value = ss_inverse(largest, 1.0);
    for (int k = 0; k < g->n_groups; k++) {
        g->groups[k].r_N = ss_inverse(g->groups[k].r_N, default_value);
        g->groups[k].r_T = ss_inverse(g->groups[k].r_T, default_value);
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

static ss_status take_load(ss_gathered *g, const ss_inclusion *A)
{
    g->load = (ss_load){0};
    g->c_norm = 0.0;
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
            ss_load_add(A, i, side ? group->r_T : group->r_N,
                        group->kind == SS_SET_HALF_LINE ? group->r_N : 0.0, &g->load);
        }
        g->coulomb = g->coulomb &&
                     (group->kind == SS_SET_FREE ||
                      (group->kind == SS_SET_HALF_LINE && A->blocks[group->normal].scale_from < 0));
    }
    g->c_norm = sqrt(ss_dot(g->n_rows, g->c, g->c));
    if (isfinite(g->load.value) && isfinite(sum_of(g->n_numbers, g->value)))
        return SS_OK;
    SS_TRY(ss_inclusion_check_numbers(g->context, A));
    return ss_fail(g->context, SS_NON_FINITE, "inclusion: its numbers overflow");
}

ss_status ss_gather(ss_gathered *g, ss_context *context, const ss_inclusion *inclusion)
{
    g->context = context;
    SS_TRY(prepare(g, inclusion));
    group_blocks(g, inclusion);
    place_rows(g, inclusion);
    if (!gather_contacts(g, inclusion)) {
        gather_any(g, inclusion);
        place_rows(g, inclusion);
    }
    natural_r(g);
    return take_load(g, inclusion);
}

/* ---- What a gathered inclusion does ---- */

/* gamma of a group of `dim` rows whose neighbours have as many: the shapes that fill real
 * problems. */
static inline void velocity_uniform(const ss_gathered *g, int k, int dim, const double *P,
                                    double *gamma)
{
    const double *G = g->diagonal + g->groups[k].diagonal, *x = P + g->groups[k].row;
    double sum[3];
    for (int a = 0; a < dim; a++) {
        sum[a] = g->c[g->groups[k].row + a];
        for (int b = 0; b < dim; b++)
            sum[a] += G[a * dim + b] * x[b];
    }
    const double *value = g->value + (g->start[k] < g->start[k + 1] ? g->place[g->start[k]] : 0);
    for (int e = g->start[k]; e < g->start[k + 1]; e++, value += dim * dim)
        ss_gathered_add(dim, value, P + g->groups[g->column[e]].row, sum);
    for (int a = 0; a < dim; a++)
        gamma[g->groups[k].row + a] = sum[a];
}

static void velocity_any(const ss_gathered *g, int k, const double *P, double *gamma)
{
    const ss_gathered_group *K = &g->groups[k];
    const double *G = g->diagonal + K->diagonal;
    for (int a = 0; a < K->dim; a++)
        gamma[K->row + a] = g->c[K->row + a] + ss_dot(K->dim, G + a * K->dim, P + K->row);
    for (int e = g->start[k]; e < g->start[k + 1]; e++) {
        const ss_gathered_group *H = &g->groups[g->column[e]];
        for (int a = 0; a < K->dim; a++)
            gamma[K->row + a] += ss_dot(H->dim, g->value + g->place[e] + a * H->dim, P + H->row);
    }
}

void ss_gathered_velocity(const ss_gathered *g, const double *P, double *gamma)
{
    for (int k = 0; k < g->n_groups; k++) {
        if (g->uniform == 3)
            velocity_uniform(g, k, 3, P, gamma);
        else if (g->uniform == 2)
            velocity_uniform(g, k, 2, P, gamma);
        else
            velocity_any(g, k, P, gamma);
    }
}

void ss_gathered_take(const ss_gathered *g, const double *P, double *gathered)
{
    for (int k = 0; k < g->n_rows; k++)
        gathered[k] = P[g->home[k]];
}

void ss_gathered_give(const ss_gathered *g, const double *gathered, double *P)
{
    for (int k = 0; k < g->n_rows; k++)
        P[g->home[k]] = gathered[k];
}

double ss_gathered_scale(const ss_gathered *g, const ss_inclusion *inclusion, int block,
                         const double *P)
{
    const ss_block *B = &inclusion->blocks[block];
    return B->scale_from < 0 ? B->scale : B->scale * fabs(P[g->row_of[B->scale_from]]);
}
