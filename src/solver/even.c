/* even.c: an even load. Where closed contacts are redundant, many impulses have the same effect: of those, the ones of least norm
 * Σ P_N² + Σ (P_T/μ)². They depend neither on the solver nor on where it began, an evenly pressed face carries its load evenly,
 * and loads do not wander from step to step. */
#include "solver/even.h"

#include "la/small.h"
#include "rows/coupling.h"
#include "rows/freedom.h"
#include "rows/residual.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Of the squared lengths that are left after elimination: what is smaller is rounding. */
static const double singular = 1e-13;

/* ---- Memory ---- */

void ss_even_release(ss_even *s)
{
    ss_least_norm_release(&s->norm);
    if (s->has_arena)
        ss_arena_release(&s->arena);
    s->has_arena = false;
}

ss_status ss_even_reserve(ss_even *s, ss_context *context, int n_blocks, int n_rows, int n_u)
{
    SS_TRY(ss_least_norm_reserve(&s->norm, context, SS_EVEN_MOST, SS_EVEN_MOST));
    if (s->has_arena && n_blocks <= s->capacity_blocks && n_rows <= s->capacity_rows &&
        n_u <= s->capacity_u)
        return SS_OK;
    if (s->has_arena)
        ss_arena_release(&s->arena);
    ss_arena_init(&s->arena, context);
    s->has_arena = true;
    s->capacity_blocks = n_blocks > s->capacity_blocks ? n_blocks : s->capacity_blocks;
    s->capacity_rows = n_rows > s->capacity_rows ? n_rows : s->capacity_rows;
    s->capacity_u = n_u > s->capacity_u ? n_u : s->capacity_u;
    SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_blocks, &s->modes));
    SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_blocks, &s->variable));
    SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_blocks, &s->child));
    SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_blocks, &s->sibling));
    SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_rows, &s->p));
    SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_rows, &s->P));
    SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_rows, &s->kept_P));
    SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_u, &s->u));
    return SS_ARENA_NEW(&s->arena, s->capacity_u, &s->kept_u);
}

static ss_status reserve_for(ss_even *s, ss_context *context, const ss_inclusion *A)
{
    return ss_even_reserve(s, context, A->n_blocks, A->n_rows, A->factor_start ? A->n_u : 0);
}

/* ---- A solution that is kept ---- */

static void copy(int n, const double *from, double *to)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

ss_status ss_even_keep(ss_even *s, ss_context *context, const ss_solve_call *call)
{
    SS_TRY(reserve_for(s, context, call->inclusion));
    copy(call->inclusion->n_rows, call->P, s->kept_P);
    if (call->inclusion->factor_start)
        copy(call->inclusion->n_u, call->u, s->kept_u);
    return SS_OK;
}

void ss_even_restore(const ss_even *s, const ss_solve_call *call)
{
    copy(call->inclusion->n_rows, s->kept_P, call->P);
    if (call->inclusion->factor_start)
        copy(call->inclusion->n_u, s->kept_u, call->u);
}

double ss_even_change(const ss_even *s, const ss_solve_call *call)
{
    double most = 0.0, size = DBL_MIN;
    for (int k = 0; k < call->inclusion->n_rows; k++) {
        most = fmax(most, fabs(call->P[k] - s->kept_P[k]));
        size = fmax(size, fabs(call->P[k]));
    }
    return most / size;
}

/* ---- Which impulses may change ---- */

/* One choice: blocks from … to - 1 of an inclusion, and its solution. */
typedef struct choice {
    ss_even *s;
    const ss_inclusion *A;
    int from, to;
    double *P, *u;
    int n;      /* held rows */
    bool slide; /* some friction slides with a held normal impulse */
} choice;

static bool held(const choice *c, int block)
{
    return c->s->modes[block] == SS_MODE_CONSTRAINT;
}

static bool within(const choice *c, int block)
{
    return block >= c->from && block < c->to;
}

/* Friction that slides, and its normal impulse is held. */
static bool slides(const choice *c, int block)
{
    int from = c->A->blocks[block].scale_from;
    return from >= 0 && within(c, from) && !held(c, block) && held(c, from);
}

static void number_rows(choice *c)
{
    ss_even *s = c->s;
    c->n = 0;
    c->slide = false;
    for (int i = c->from; i < c->to; i++) {
        s->variable[i] = held(c, i) ? c->n : -1;
        c->n += held(c, i) ? c->A->blocks[i].dim : 0;
        c->slide = c->slide || slides(c, i);
        s->child[i] = -1;
    }
    for (int i = c->to - 1; i >= c->from; i--) {
        int from = c->A->blocks[i].scale_from;
        if (!held(c, i) || from < 0 || !within(c, from) || !held(c, from))
            continue;
        s->sibling[i] = s->child[from];
        s->child[from] = i;
    }
    if (c->n > SS_EVEN_MOST)
        return;
    for (int i = c->from; i < c->to; i++)
        for (int k = 0; k < c->A->blocks[i].dim && held(c, i); k++)
            s->row[s->variable[i] + k] = c->A->blocks[i].offset + k;
}

/* The sign with which a normal impulse counts in the friction it scales. */
static double side(const choice *c, int block)
{
    ss_set_kind kind = c->A->blocks[block].set->kind;
    if (kind == SS_SET_HALF_LINE || kind == SS_SET_NEGATIVE_HALF_LINE)
        return kind == SS_SET_HALF_LINE ? 1.0 : -1.0;
    return c->P[c->A->blocks[block].offset] < 0.0 ? -1.0 : 1.0;
}

/* Semi-axes of the set of a friction in units of its scale; false: it has none along its rows, or is flat. */
static bool find_axes(const ss_block *B, double *axes)
{
    double x[SS_SET_MAX_DIM], square = 0.0;
    ss_set_kind kind = B->set->kind;
    bool round = kind == SS_SET_INTERVAL || kind == SS_SET_DISK || kind == SS_SET_BALL;
    if (B->dim > SS_NORM_FRICTION_DIM || !(B->scale > 0.0) ||
        (!round && kind != SS_SET_ELLIPSE && kind != SS_SET_ELLIPSOID))
        return false;
    for (int k = 0; k < B->dim; k++) {
        memset(x, 0, sizeof x);
        x[k] = 1.0;
        axes[k] = round ? B->scale : ss_set_support(B->set, B->scale, x);
        square += axes[k] * axes[k];
        if (!(axes[k] > 0.0))
            return false;
    }
    for (int k = 0; k < B->dim; k++)
        x[k] = 1.0;
    double all = round ? sqrt(square) : ss_set_support(B->set, B->scale, x);
    return fabs(all * all - square) <= 1e-12 * square;
}

/* ---- Their parts ---- */

static ss_norm_part *add_part(choice *c, ss_norm_kind kind, int block)
{
    ss_norm_part *part = &c->s->norm.parts[c->s->norm.n_parts++];
    *part = (ss_norm_part){
        .kind = kind, .first = c->s->variable[block], .dim = c->A->blocks[block].dim};
    return part;
}

static void set_scale(choice *c, int block, double scale)
{
    for (int k = 0; k < c->A->blocks[block].dim; k++)
        c->s->scale[c->s->variable[block] + k] = scale;
}

/* A normal impulse with the frictions that it scales; those without axes stay as they are. */
static void add_cone(choice *c, int block)
{
    ss_even *s = c->s;
    ss_norm_part *cone = add_part(c, SS_NORM_CONE, block);
    set_scale(c, block, side(c, block));
    for (int i = s->child[block]; i >= 0; i = s->sibling[i]) {
        double axes[SS_NORM_FRICTION_DIM];
        set_scale(c, i, 1.0);
        if (cone->n_frictions == SS_NORM_FRICTIONS || !find_axes(&c->A->blocks[i], axes)) {
            add_part(c, SS_NORM_FIXED, i);
            continue;
        }
        cone->friction[cone->n_frictions].first = s->variable[i];
        cone->friction[cone->n_frictions++].dim = c->A->blocks[i].dim;
        memcpy(s->scale + s->variable[i], axes, (size_t)c->A->blocks[i].dim * sizeof *axes);
    }
}

/* What is no contact counts little: its rows may have other units, which those of G tell. */
static void add_free(choice *c, int block, double G_N)
{
    const double little = 10.0;
    ss_even *s = c->s;
    add_part(c, SS_NORM_FREE, block);
    for (int k = 0; k < c->A->blocks[block].dim; k++) {
        int row = s->variable[block] + k;
        double G = s->G[row * c->n + row];
        s->scale[row] = little * (G > 0.0 && G_N > 0.0 ? sqrt(G_N / G) : 1.0);
    }
}

static bool is_normal(const choice *c, int block)
{
    ss_set_kind kind = c->A->blocks[block].set->kind;
    return held(c, block) && (kind == SS_SET_HALF_LINE || kind == SS_SET_NEGATIVE_HALF_LINE ||
                              c->s->child[block] >= 0);
}

/* The mean of G_NN, and how many normal impulses there are. */
static int count_normals(const choice *c, double *G_N)
{
    int count = 0;
    *G_N = 0.0;
    for (int i = c->from; i < c->to; i++)
        if (is_normal(c, i)) {
            int row = c->s->variable[i];
            *G_N += c->s->G[row * c->n + row];
            count++;
        }
    *G_N = count > 0 ? *G_N / count : 0.0;
    return count;
}

static void sort_parts(choice *c, double G_N)
{
    ss_even *s = c->s;
    s->norm.n_parts = 0;
    for (int i = c->from; i < c->to; i++) {
        const ss_block *B = &c->A->blocks[i];
        bool child = B->scale_from >= 0 && within(c, B->scale_from) && held(c, B->scale_from);
        if (!held(c, i) || child)
            continue;
        if (is_normal(c, i)) {
            add_cone(c, i);
        } else if (B->set->kind == SS_SET_FREE) {
            add_free(c, i, G_N);
        } else if (B->scale_from < 0 &&
                   (B->set->kind == SS_SET_INTERVAL || B->set->kind == SS_SET_DISK)) {
            add_part(c, SS_NORM_BALL, i)->radius = B->scale;
            set_scale(c, i, 1.0);
        } else {
            add_part(c, SS_NORM_FIXED, i);
            set_scale(c, i, 1.0);
        }
    }
    s->norm.n = c->n;
    for (int k = 0; k < c->n; k++)
        s->norm.y[k] = c->P[s->row[k]] / s->scale[k];
}

/* ---- G of the held rows ---- */

/* Columns that slide: where the friction of a unit normal impulse lies. */
static void find_slips(choice *c)
{
    double gamma[SS_SET_MAX_DIM];
    for (int i = c->from; i < c->to; i++) {
        const ss_block *B = &c->A->blocks[i];
        if (!slides(c, i))
            continue;
        ss_inclusion_velocity(c->A, c->P, c->u, i, gamma);
        ss_slip_direction(B, gamma, c->s->p + B->offset);
    }
}

/* G of the held rows, and A = G K, in which friction that slides follows its normal impulse. */
static void form_matrices(choice *c)
{
    ss_even *s = c->s;
    int n = c->n;
    double own[SS_SET_MAX_DIM * SS_SET_MAX_DIM];
    memset(s->G, 0, (size_t)(n * n) * sizeof *s->G);
    for (int i = c->from; i < c->to; i++)
        for (int j = c->from; j < c->to && held(c, i); j++) {
            int rows = c->A->blocks[i].dim, columns = c->A->blocks[j].dim, at = s->variable[i];
            if (!held(c, j))
                continue;
            const double *G = ss_inclusion_G(c->A, i, j, own);
            for (int k = 0; k < rows && G; k++)
                for (int l = 0; l < columns; l++)
                    s->G[(at + k) * n + s->variable[j] + l] = G[k * columns + l];
        }
    memcpy(s->A, s->G, (size_t)(n * n) * sizeof *s->A);
    for (int i = c->from; i < c->to && c->slide; i++)
        for (int j = c->from; j < c->to && held(c, i); j++) {
            const ss_block *T = &c->A->blocks[j];
            if (!slides(c, j))
                continue;
            const double *G = ss_inclusion_G(c->A, i, j, own);
            int column = s->variable[T->scale_from];
            double sign = side(c, T->scale_from);
            for (int k = 0; k < c->A->blocks[i].dim && G; k++)
                s->A[(s->variable[i] + k) * n + column] +=
                    sign * ss_dot(T->dim, G + k * T->dim, s->p + T->offset);
        }
}

/* ---- A small island ---- */

/* Impulses from y; those that slide follow. */
static void spread(const choice *c)
{
    const ss_even *s = c->s;
    for (int k = 0; k < c->n; k++)
        c->P[s->row[k]] = s->scale[k] * s->norm.y[k];
    for (int i = c->from; i < c->to; i++) {
        const ss_block *T = &c->A->blocks[i];
        if (!slides(c, i))
            continue;
        double N = fabs(c->P[c->A->blocks[T->scale_from].offset]);
        for (int k = 0; k < T->dim; k++)
            c->P[T->offset + k] = N * s->p[T->offset + k];
    }
}

/* Rows of A that are independent become the equations; whether any row depends on others. */
static bool take_equations(choice *c)
{
    ss_even *s = c->s;
    int n = c->n;
    s->norm.r = ss_independent_rows(n, s->G, singular, s->picked, s->scratch);
    for (int i = 0; i < s->norm.r; i++) {
        for (int k = 0; k < n; k++)
            s->norm.C[i * n + k] = s->A[s->picked[i] * n + k] * s->scale[k];
        s->norm.d[i] = 0.0;
    }
    return s->norm.r < n;
}

/* What the solve has left of the velocities of the held rows, which the choice takes away: else gaps would open in time. */
static void find_defect(const choice *c)
{
    const ss_even *s = c->s;
    double gamma[SS_SET_MAX_DIM];
    for (int i = c->from; i < c->to; i++) {
        if (!held(c, i))
            continue;
        ss_inclusion_velocity(c->A, c->P, c->u, i, gamma);
        for (int j = 0; j < s->norm.r; j++) {
            int k = s->picked[j] - s->variable[i];
            if (k >= 0 && k < c->A->blocks[i].dim)
                s->norm.d[j] = -gamma[k];
        }
    }
}

static void move(const choice *c)
{
    if (c->A->factor_start)
        ss_inclusion_free_motion(c->A, c->P, c->u);
}

/* The residual that a choice may have: hardly more than the solution from which it comes. */
static double enough(const ss_solve_report *report, double tolerance)
{
    const double twice = 2.0, part = 1e-4;
    return fmin(fmax(twice * report->residual.value, part * tolerance),
                fmax(tolerance, report->residual.value));
}

/* All held rows together. Where friction slides, velocities change with it, and with them the direction in which it slides:
 * *again says that the impulses are to be solved for from there. */
static bool choose_together(choice *c, const ss_solve_call *call, double tolerance, bool *again)
{
    ss_solve_report *report = call->report;
    double G_N;
    find_slips(c);
    form_matrices(c);
    int normals = count_normals(c, &G_N);
    sort_parts(c, G_N);
    bool dependent = take_equations(c);
    report->freedom = c->n - c->s->norm.r;
    if (!dependent || normals == 0)
        return true;
    find_defect(c);
    if (!ss_least_norm_find(&c->s->norm))
        return false;
    spread(c);
    move(c);
    ss_residual residual = ss_inclusion_residual(c->A, c->P, c->u);
    bool solved = residual.value <= enough(report, tolerance);
    if (!isfinite(residual.value) || (!solved && !c->slide))
        return false;
    *again = !solved;
    report->residual = residual;
    memcpy(call->P, c->P, (size_t)c->A->n_rows * sizeof *c->P);
    if (c->A->factor_start && c->A->n_u > 0)
        memcpy(call->u, c->u, (size_t)c->A->n_u * sizeof *c->u);
    return true;
}

/* ---- A large island: contact patches, one by one ---- */

/* Systems that a block moves, by where their velocities begin; false: none, or more than two. */
static bool find_systems(const ss_inclusion *A, int block, int systems[2])
{
    int n = 0;
    systems[0] = systems[1] = -1;
    for (int f = A->factor_start[block]; f < A->factor_start[block + 1]; f++) {
        const ss_factor *F = &A->factors[f];
        bool moves = false;
        for (int k = 0; k < F->nu * A->blocks[block].dim && !moves; k++)
            moves = F->MinvW[k] != 0.0;
        if (moves && n == 2)
            return false;
        if (moves)
            systems[n++] = F->u_offset;
    }
    return n > 0;
}

/* The end of the blocks from `first` on that move the same systems. */
static int end_of_patch(const ss_inclusion *A, int first, const int systems[2])
{
    int end = first + 1, others[2];
    while (end < A->n_blocks && find_systems(A, end, others) && others[0] == systems[0] &&
           others[1] == systems[1])
        end++;
    return end;
}

static const ss_factor *factor_of(const ss_inclusion *A, int block, int system)
{
    for (int f = A->factor_start[block]; f < A->factor_start[block + 1]; f++)
        if (A->factors[f].u_offset == system)
            return &A->factors[f];
    return NULL;
}

/* W K of one system: what the held rows do to it is to stay. Returns how many rows it has. */
static int add_effects(const choice *c, int system, double *C)
{
    const ss_even *s = c->s;
    const ss_factor *F = factor_of(c->A, c->from, system);
    int n = c->n, nu = F ? F->nu : 0;
    memset(C, 0, (size_t)(nu * n) * sizeof *C);
    for (int i = c->from; i < c->to; i++) {
        const ss_block *B = &c->A->blocks[i];
        F = factor_of(c->A, i, system);
        for (int k = 0; k < B->dim && F && held(c, i); k++)
            for (int j = 0; j < nu; j++)
                C[j * n + s->variable[i] + k] += F->W[k * nu + j] * s->scale[s->variable[i] + k];
        for (int k = 0; k < B->dim && F && slides(c, i); k++)
            for (int j = 0; j < nu; j++)
                C[j * n + s->variable[B->scale_from]] += F->W[k * nu + j] * s->p[B->offset + k];
    }
    return nu;
}

/* Whether the patch has several held normal impulses, and few enough rows. */
static bool is_redundant(const choice *c)
{
    int normals = 0;
    for (int i = c->from; i < c->to; i++)
        normals += is_normal(c, i);
    return normals > 1 && c->n <= SS_EVEN_MOST;
}

/* Its impulses keep what they do to both systems, and with it every velocity. */
static void choose_in_patch(choice *c, const int systems[2])
{
    ss_least_norm *norm = &c->s->norm;
    number_rows(c);
    if (!is_redundant(c))
        return;
    memset(c->s->G, 0, (size_t)(c->n * c->n) * sizeof *c->s->G);
    find_slips(c);
    sort_parts(c, 0.0);
    norm->r = 0;
    for (int k = 0; k < 2 && systems[k] >= 0; k++) {
        const ss_factor *F = factor_of(c->A, c->from, systems[k]);
        if (norm->r + F->nu > SS_EVEN_MOST)
            return;
        norm->r += add_effects(c, systems[k], norm->C + norm->r * c->n);
    }
    memset(norm->d, 0, (size_t)norm->r * sizeof *norm->d);
    if (ss_least_norm_find(norm))
        spread(c);
}

static void choose_by_patches(choice *c, const ss_solve_call *call, double tolerance)
{
    const ss_inclusion *A = c->A;
    int systems[2];
    for (int i = 0, end; i < A->n_blocks; i = end) {
        end = i + 1;
        if (!find_systems(A, i, systems))
            continue;
        end = end_of_patch(A, i, systems);
        c->from = i;
        c->to = end;
        choose_in_patch(c, systems);
    }
    ss_residual residual = ss_inclusion_residual(A, c->P, c->u);
    if (!(residual.value <= enough(call->report, tolerance)))
        return;
    memcpy(call->P, c->P, (size_t)A->n_rows * sizeof *c->P);
}

ss_status ss_even_select(ss_even *s, ss_context *context, const ss_solve_call *call,
                         double tolerance, bool *again)
{
    const ss_inclusion *A = call->inclusion;
    ss_solve_report *report = call->report;
    *again = false;
    report->chosen = true;
    report->freedom = 0;
    if (A->n_blocks < 2 || (A->n_blocks == 2 && A->blocks[1].scale_from == 0))
        return SS_OK;
    SS_TRY(reserve_for(s, context, A));
    choice c = {.s = s, .A = A, .to = A->n_blocks, .P = s->P, .u = s->u};
    /* What slides by as little as the solve leaves at contacts that stick is at the end of its cone, and stays there. */
    const double rounding = 1e-11;
    ss_inclusion_modes(A, call->P, call->u, rounding, s->modes);
    memcpy(s->P, call->P, (size_t)A->n_rows * sizeof *s->P);
    if (A->factor_start && A->n_u > 0)
        memcpy(s->u, call->u, (size_t)A->n_u * sizeof *s->u);
    number_rows(&c);
    if (c.n > SS_EVEN_MOST) {
        report->freedom = -1;
        if (A->factor_start)
            choose_by_patches(&c, call, tolerance);
    } else if (c.n > 1)
        report->chosen = choose_together(&c, call, tolerance, again);
    return SS_OK;
}
