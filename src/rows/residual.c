/* residual.c: how well impulses solve an inclusion, and the modes they mean. */
#include "rows/residual.h"

#include "la/small.h"

#include <string.h>

/* Rounding units below which an error is noise. */
static const double noise = 64.0 * DBL_EPSILON;

static double max_diagonal(const ss_inclusion *inclusion, int block)
{
    double Gii[SS_SET_MAX_DIM * SS_SET_MAX_DIM];
    int dim = inclusion->blocks[block].dim;
    ss_inclusion_diagonal(inclusion, block, Gii);
    double largest = Gii[0];
    for (int k = 1; k < dim; k++)
        largest = ss_max_nan(largest, Gii[k * dim + k]);
    return largest;
}

void ss_inclusion_invert_diagonals(int n_blocks, double *r)
{
    double largest = 0.0;
    for (int i = 0; i < n_blocks; i++)
        largest = fmax(largest, r[i]);
    double default_value = ss_inverse(largest, 1.0);
    for (int i = 0; i < n_blocks; i++)
        r[i] = ss_inverse(r[i], default_value);
}

/* r of the blocks that move nothing. */
static double fallback_r(const ss_inclusion *inclusion)
{
    double largest = 0.0;
    for (int i = 0; i < inclusion->n_blocks; i++)
        largest = fmax(largest, max_diagonal(inclusion, i));
    return ss_inverse(largest, 1.0);
}

void ss_inclusion_natural_r(const ss_inclusion *inclusion, double *r)
{
    for (int i = 0; i < inclusion->n_blocks; i++)
        r[i] = max_diagonal(inclusion, i);
    ss_inclusion_invert_diagonals(inclusion->n_blocks, r);
}

/* √r_i ‖c_i‖ */
static double block_load(const ss_inclusion *inclusion, int block, double r)
{
    const ss_block *B = &inclusion->blocks[block];
    if (!inclusion->factor_start)
        return sqrt(r) * ss_norm(B->dim, inclusion->c + B->offset);
    double c[SS_SET_MAX_DIM];
    ss_inclusion_velocity(inclusion, NULL, inclusion->u_free, block, c);
    return sqrt(r) * ss_norm(B->dim, c);
}

double ss_inclusion_load(const ss_inclusion *inclusion, const double *r)
{
    double load = 0.0;
    for (int i = 0; i < inclusion->n_blocks; i++)
        load = ss_max_nan(load, block_load(inclusion, i, r[i]));
    return load;
}

double ss_inclusion_row_size(const ss_inclusion *inclusion, const double *P, const double *u,
                             int block, int k)
{
    const ss_block *B = &inclusion->blocks[block];
    if (inclusion->factor_start) {
        double size = fabs(inclusion->b[B->offset + k]);
        for (int f = inclusion->factor_start[block]; f < inclusion->factor_start[block + 1]; f++) {
            const ss_factor *F = &inclusion->factors[f];
            size += ss_dot_absolute(F->nu, F->W + k * F->nu, u + F->u_offset);
        }
        return size;
    }
    double size = fabs(inclusion->c[B->offset + k]);
    for (int e = inclusion->entry_start[block]; e < inclusion->entry_start[block + 1]; e++) {
        const ss_entry *G = &inclusion->entries[e];
        const ss_block *J = &inclusion->blocks[G->column];
        size += ss_dot_absolute(J->dim, G->value + k * J->dim, P + J->offset);
    }
    return size;
}

/* One block at P: all in √J. */
typedef struct block_state {
    double error;      /* ‖P - prox(x)‖ / √r with x = P - r γ */
    double projection; /* ‖x - prox(x)‖ / √r */
    double floor;      /* what rounding makes of γ */
    double impulse;    /* ‖P‖ / √r */
} block_state;

static block_state judge(const ss_block *B, double scale, const double *Pi, double r,
                         const double *gamma, const double *size)
{
    double x[SS_SET_MAX_DIM], y[SS_SET_MAX_DIM], root = sqrt(r);
    for (int k = 0; k < B->dim; k++)
        x[k] = Pi[k] - r * gamma[k];
    if (!ss_all_finite(B->dim, x) || !isfinite(scale))
        return (block_state){INFINITY, INFINITY, 0.0, INFINITY};
    ss_set_prox(B->set, scale, x, y);
    block_state state = {
        .floor = noise * root * ss_norm(B->dim, size),
        .impulse = ss_norm(B->dim, Pi) / root,
    };
    for (int k = 0; k < B->dim; k++) {
        x[k] -= y[k];
        y[k] -= Pi[k];
    }
    state.projection = ss_norm(B->dim, x) / root;
    state.error = ss_norm(B->dim, y) / root;
    return state;
}

static block_state evaluate(const ss_inclusion *inclusion, const double *P, const double *u,
                            int block, double r)
{
    const ss_block *B = &inclusion->blocks[block];
    double gamma[SS_SET_MAX_DIM], size[SS_SET_MAX_DIM];
    ss_inclusion_velocity(inclusion, P, u, block, gamma);
    for (int k = 0; k < B->dim; k++)
        size[k] = ss_inclusion_row_size(inclusion, P, u, block, k);
    return judge(B, ss_inclusion_scale(inclusion, P, block), P + B->offset, r, gamma, size);
}

static double error_of(block_state state)
{
    return state.error <= state.floor ? 0.0 : state.error;
}

double ss_block_error(const ss_block *block, double scale, const double *Pi, double r,
                      const double *gamma, const double *size)
{
    return error_of(judge(block, scale, Pi, r, gamma, size));
}

void ss_inclusion_block_residual(const ss_inclusion *inclusion, const double *P, const double *u,
                                 int block, double r, double *error, double *size)
{
    block_state state = evaluate(inclusion, P, u, block, r);
    *error = error_of(state);
    *size = ss_max_nan(block_load(inclusion, block, r), state.impulse);
}

static void add_block(block_state state, int block, ss_residual *residual)
{
    double error = error_of(state);
    residual->reference = ss_max_nan(residual->reference, state.impulse);
    if (error > residual->absolute || residual->worst_block < 0) {
        residual->absolute = error;
        residual->worst_block = block;
    }
}

static void finish(ss_residual *residual)
{
    if (residual->absolute == 0.0)
        residual->value = 0.0;
    else
        residual->value = residual->absolute / residual->reference;
    if (!isfinite(residual->value) || !isfinite(residual->reference))
        residual->value = INFINITY; /* relative to what overflows everything would be small */
}

ss_residual ss_inclusion_residual_given(const ss_inclusion *inclusion, const double *r, double load,
                                        const double *P, const double *u)
{
    ss_residual residual = {.reference = load, .worst_block = -1};
    for (int i = 0; i < inclusion->n_blocks; i++)
        add_block(evaluate(inclusion, P, u, i, r[i]), i, &residual);
    finish(&residual);
    return residual;
}

ss_residual ss_inclusion_residual(const ss_inclusion *inclusion, const double *P, const double *u)
{
    ss_residual residual = {.worst_block = -1};
    double default_value = fallback_r(inclusion);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        double r = ss_inverse(max_diagonal(inclusion, i), default_value);
        residual.reference = ss_max_nan(residual.reference, block_load(inclusion, i, r));
        add_block(evaluate(inclusion, P, u, i, r), i, &residual);
    }
    finish(&residual);
    return residual;
}

/* Whether a change of P_i by `reach` in some row would leave the set: P_i lies at its boundary, or nearly so. */
static bool near_boundary(const ss_inclusion *inclusion, const double *P, int block, double reach)
{
    const ss_block *B = &inclusion->blocks[block];
    double scale = ss_inclusion_scale(inclusion, P, block);
    double x[SS_SET_MAX_DIM], y[SS_SET_MAX_DIM];
    for (int k = 0; k < 2 * B->dim; k++) {
        memcpy(x, P + B->offset, (size_t)B->dim * sizeof *x);
        x[k / 2] += k % 2 ? reach : -reach;
        ss_set_prox(B->set, scale, x, y);
        if (memcmp(x, y, (size_t)B->dim * sizeof *x) != 0)
            return true;
    }
    return false;
}

void ss_inclusion_modes_marginal(const ss_inclusion *inclusion, const double *P, const double *u,
                                 double tolerance, ss_mode *modes, bool *marginal)
{
    double reference = ss_inclusion_residual(inclusion, P, u).reference;
    double default_value = fallback_r(inclusion);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        double r = ss_inverse(max_diagonal(inclusion, i), default_value);
        block_state state = evaluate(inclusion, P, u, i, r);
        double limit = fmax(tolerance * reference, state.floor);
        bool none = state.projection <= limit;
        modes[i] = none ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
        if (marginal)
            marginal[i] = none && near_boundary(inclusion, P, i, sqrt(r) * limit);
    }
}

void ss_inclusion_modes(const ss_inclusion *inclusion, const double *P, const double *u,
                        double tolerance, ss_mode *modes)
{
    ss_inclusion_modes_marginal(inclusion, P, u, tolerance, modes, NULL);
}
