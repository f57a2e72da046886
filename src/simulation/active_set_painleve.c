/* active_set_painleve.c: whether the closed contacts have forces and accelerations, and only one
 * choice of them.
 *
 * A friction that slides is carried by its normal force, so the normal forces λ of the contacts C
 * that stay closed obey
 *
 *     0 <= A λ + b ⊥ λ >= 0,   A = W_CᵀM⁻¹(W_C + W_T p),  b = W_CᵀM⁻¹h + ζ̂_C
 *
 * after bilateral rows have been eliminated. For every b there is one solution exactly when all
 * principal minors of A are positive (a P-matrix). Friction can spoil that: Painlevé's rod has
 * A < 0, and then no solution or two. */
#include "assembly/sources/contacts.h"
#include "la/small.h"
#include "rows/kind.h"
#include "simulation/active_set.h"

#include <float.h>
#include <lapacke.h>
#include <string.h>

enum { MOST_CONTACTS = 10 };

typedef struct contacts {
    ss_analysed *a;
    int n_u, n, n_bilateral; /* rows: contacts first */
    int *block;              /* n contacts */
    double *side;            /* n: 1 pushes, -1 pulls */
    double *W, *H; /* n_u a row: directions, M⁻¹ of a unit of force with its friction */
    double *A, *b; /* all rows */
    double *solve; /* scratch */
    int *pivots;
    bool sticks;
    double *contact_bias; /* ζ̂ by contacts */
} contacts;

/* Row k of a block as a vector of all velocities. */
static void direction(const contacts *c, int block, int k, bool inverse, double sign, double *w)
{
    const ss_inclusion *inclusion = &c->a->work->inclusion;
    for (int f = inclusion->factor_start[block]; f < inclusion->factor_start[block + 1]; f++) {
        const ss_factor *F = &inclusion->factors[f];
        ss_axpy(F->nu, sign, (inverse ? F->MinvW : F->W) + k * F->nu, w + F->u_offset);
    }
}

static bool is_contact(const contacts *c, int block)
{
    const ss_law *law = &c->a->work->table.laws[c->a->work->block_law[block]];
    return ss_element_rule(&c->a->work->table.elements[law->element]) != NULL;
}

/* Wᵀu + ζ of a block at the state, not at the end of a step. */
static void velocity(const contacts *c, int block, double *gamma)
{
    const ss_work *work = c->a->work;
    const ss_law *law = &work->table.laws[work->block_law[block]];
    if (!is_contact(c, block)) {
        memcpy(gamma, work->elements[law->element].gamma_B + law->row,
               (size_t)law->dim * sizeof *gamma);
        return;
    }
    ss_inclusion_velocity(&work->inclusion, NULL, c->a->u, block, gamma);
    for (int k = 0; k < law->dim; k++)
        gamma[k] -= work->inclusion.b[work->blocks[block].offset + k];
}

static double side_of(const contacts *c, int block)
{
    const ss_law *law = &c->a->work->table.laws[c->a->work->block_law[block]];
    ss_set_kind kind = c->a->work->blocks[block].set->kind;
    if (law->kind != SS_GEOMETRIC || !ss_law_opens(law))
        return 0;
    return kind == SS_SET_HALF_LINE ? 1 : kind == SS_SET_NEGATIVE_HALF_LINE ? -1 : 0;
}

/* γ of a block, and |γ| in parts of the largest that the kinetic energy allows. */
static double part_of_speed(const contacts *c, int block, double *gamma)
{
    const ss_model *model = c->a->work->model;
    double G[SS_SET_MAX_DIM * SS_SET_MAX_DIM], kinetic = 0;
    velocity(c, block, gamma);
    int dim = c->a->work->blocks[block].dim;
    for (int s = 0; s < model->n_systems.count; s++)
        kinetic += ss_work_kinetic(c->a->work, s, c->a->u + model->systems[s].u_offset);
    ss_inclusion_diagonal(&c->a->work->inclusion, block, G);
    double most = sqrt(2 * kinetic * fabs(G[0]));
    return most > 0 ? ss_norm(dim, gamma) / most : 0;
}

/* Adds M⁻¹ W_T p of the sliding friction that a contact scales; sets `sticks` if any sticks. */
static void carry(contacts *c, int block, double *H)
{
    const double slow = 1e-8;
    const ss_inclusion *inclusion = &c->a->work->inclusion;
    for (int i = 0; i < inclusion->n_blocks; i++) {
        double p[SS_SET_MAX_DIM], gamma[SS_SET_MAX_DIM];
        const ss_block *B = &inclusion->blocks[i];
        if (B->scale_from != block || B->scale == 0)
            continue;
        if (part_of_speed(c, i, gamma) < slow) {
            c->sticks = true;
            continue;
        }
        c->a->set.sliding++;
        ss_slip_direction(B, gamma, p);
        for (int k = 0; k < B->dim; k++)
            direction(c, i, k, true, p[k], H);
    }
}

static ss_status bias(contacts *c, int block, int k, double *b)
{
    const ss_law *law = &c->a->work->table.laws[c->a->work->block_law[block]];
    double *zeta_hat = c->a->work->row_scratch;
    if (is_contact(c, block)) {
        *b = c->contact_bias[c->a->work->contacts->block_contact[block]];
        return SS_OK;
    }
    SS_TRY(ss_work_element_bias(c->a->work, law->element, c->a->u, zeta_hat));
    *b = zeta_hat[law->row + k];
    return SS_OK;
}

/* Which contacts stay closed, and the bilateral rows behind them. */
static ss_status list_rows(contacts *c)
{
    const double slow = 1e-6;
    ss_work *work = c->a->work;
    int rows = work->inclusion.n_rows, n_u = c->n_u;
    SS_TRY(SS_ARENA_NEW(&c->a->arena, rows, &c->block));
    SS_TRY(SS_ARENA_NEW(&c->a->arena, rows, &c->side));
    SS_TRY(SS_ARENA_NEW(&c->a->arena, (size_t)rows * (size_t)n_u, &c->W));
    SS_TRY(SS_ARENA_NEW(&c->a->arena, (size_t)rows * (size_t)n_u, &c->H));
    SS_TRY(SS_ARENA_NEW(&c->a->arena, rows, &c->b));
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        double side = side_of(c, i), gamma[SS_SET_MAX_DIM];
        if (side == 0 || part_of_speed(c, i, gamma) > slow)
            continue;
        SS_TRY(bias(c, i, 0, &c->b[c->n]));
        c->b[c->n] *= side;
        direction(c, i, 0, false, side, c->W + c->n * n_u);
        direction(c, i, 0, true, side, c->H + c->n * n_u);
        carry(c, i, c->H + c->n * n_u);
        c->block[c->n++] = i;
    }
    for (int i = 0; i < work->inclusion.n_blocks; i++)
        for (int k = 0; k < work->blocks[i].dim; k++) {
            int row = c->n + c->n_bilateral;
            if (is_contact(c, i) || work->blocks[i].set->kind != SS_SET_FREE)
                continue;
            SS_TRY(bias(c, i, k, &c->b[row]));
            direction(c, i, k, false, 1, c->W + row * n_u);
            direction(c, i, k, true, 1, c->H + row * n_u);
            c->n_bilateral++;
        }
    return SS_OK;
}

static ss_status assemble(contacts *c)
{
    int rows = c->n + c->n_bilateral;
    size_t square = (size_t)rows * (size_t)rows;
    double *a_free;
    SS_TRY(SS_ARENA_NEW(&c->a->arena, square, &c->A));
    SS_TRY(SS_ARENA_NEW(&c->a->arena, square + (size_t)rows, &c->solve));
    SS_TRY(SS_ARENA_NEW(&c->a->arena, rows, &c->pivots));
    SS_TRY(SS_ARENA_NEW(&c->a->arena, c->n_u, &a_free));
    memcpy(a_free, c->a->h, (size_t)c->n_u * sizeof *a_free);
    ss_work_solve_mass(c->a->work, a_free);
    SS_TRY(ss_work_prescribe_accelerations(c->a->work, a_free));
    for (int i = 0; i < rows; i++) {
        c->b[i] += ss_dot(c->n_u, c->W + i * c->n_u, a_free);
        for (int j = 0; j < rows; j++)
            c->A[i * rows + j] = ss_dot(c->n_u, c->W + i * c->n_u, c->H + j * c->n_u);
    }
    return SS_OK;
}

/* The rows of a set of contacts, and all bilateral ones. */
static int gather(const contacts *c, unsigned set, int *rows)
{
    int m = 0;
    for (int i = 0; i < c->n + c->n_bilateral; i++)
        if (i >= c->n || (set >> i & 1u))
            rows[m++] = i;
    return m;
}

/* λ of the contacts in a set when they stay closed. Returns the sign of the determinant of their
 * rows, 0: singular. */
static int solve(contacts *c, unsigned set, double *lambda)
{
    int rows[SS_FREEDOM_MOST], all = c->n + c->n_bilateral, m = gather(c, set, rows), sign = 1;
    double *A = c->solve, *x = A + (size_t)m * (size_t)m, largest = 0, least = INFINITY;
    for (int j = 0; j < m; j++) {
        x[j] = -c->b[rows[j]];
        for (int i = 0; i < m; i++)
            A[j * m + i] = c->A[rows[i] * all + rows[j]];
    }
    memset(lambda, 0, (size_t)all * sizeof *lambda);
    if (m == 0)
        return 1;
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m, m, A, m, c->pivots) != 0)
        return 0;
    for (int i = 0; i < m; i++) {
        double pivot = A[i * m + i];
        sign *= (pivot < 0) != (c->pivots[i] != i + 1) ? -1 : 1;
        largest = fmax(largest, fabs(pivot));
        least = fmin(least, fabs(pivot));
    }
    if (least <= 1e-12 * largest)
        return 0;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', m, 1, A, m, c->pivots, x, m);
    for (int i = 0; i < m; i++)
        lambda[rows[i]] = x[i];
    return sign;
}

/* Whether λ is a solution with forces in exactly the contacts of the set. */
static bool solves(const contacts *c, unsigned set, const double *lambda)
{
    int all = c->n + c->n_bilateral;
    double force = 0, load = 0;
    for (int i = 0; i < c->n; i++) {
        force = fmax(force, fabs(lambda[i]));
        load = fmax(load, fabs(c->b[i]));
    }
    for (int i = 0; i < c->n; i++) {
        double acceleration = c->b[i] + ss_dot(all, c->A + i * all, lambda);
        bool in = set >> i & 1u;
        if (in ? lambda[i] <= 1e-12 * force : acceleration < -1e-12 * load)
            return false;
    }
    return true;
}

/* All sets of contacts: minors for the P-matrix, and which sets are solutions. */
static ss_status enumerate(contacts *c)
{
    ss_active_set *set = &c->a->set;
    double *lambda;
    bool regular = true;
    int bilateral = 1, solutions = 0;
    SS_TRY(SS_ARENA_NEW(&c->a->arena, c->n + c->n_bilateral, &lambda));
    for (unsigned k = 0; k < 1u << c->n; k++) {
        int sign = solve(c, k, lambda);
        if (k == 0)
            bilateral = sign;
        regular = regular && sign != 0;
        set->consistent = set->consistent && sign * bilateral >= 0;
        solutions += sign != 0 && solves(c, k, lambda);
    }
    set->regular = regular;
    if (regular && !c->sticks)
        set->solutions = solutions;
    return SS_OK;
}

ss_status ss_analysed_painleve(ss_analysed *a)
{
    contacts c = {.a = a, .n_u = a->work->model->n_u};
    a->set.consistent = true;
    a->set.solutions = -1;
    if (a->work->contacts)
        SS_TRY(ss_work_contact_biases(a->work, &a->arena, a->set.dt, a->u, &c.contact_bias));
    SS_TRY(list_rows(&c));
    a->set.closed = c.n;
    if (c.n == 0 || c.n + c.n_bilateral > SS_FREEDOM_MOST)
        return SS_OK;
    SS_TRY(assemble(&c));
    if (c.n <= MOST_CONTACTS)
        return enumerate(&c);
    for (int i = 0; i < c.n; i++) /* each on its own */
        if (c.A[i * (c.n + c.n_bilateral) + i] < 0)
            a->set.consistent = false;
    return SS_OK;
}
