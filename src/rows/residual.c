/* residual.c: how well impulses solve an inclusion, and the modes they mean. */
#include "rows/residual.h"

#include "la/small.h"
#include "rows/kind.h"

#include <string.h>

/* Rounding units below which an error is noise, but never more than this part of the load. */
static const double noise = 64.0 * DBL_EPSILON, most_noise = 1e-3;
/* Impulses count up to this multiple of the load. */
static const double most_own = 100.0;
/* Velocities count as a load by this part: what rests in motion has no other. */
static const double moving = 1e-5;

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

int ss_inclusion_normal(const ss_inclusion *inclusion, int block)
{
    int from = inclusion->blocks[block].scale_from, normal = from < 0 ? block : from;
    return inclusion->blocks[normal].set->kind == SS_SET_HALF_LINE ? normal : -1;
}

/* What a set that does not contain zero asks for, ‖prox(0)‖ / √r. */
static double least_impulse(const ss_block *B, double r)
{
    const ss_set_kind kind = B->set->kind;
    bool may_miss_zero = kind == SS_SET_OTHER || kind == SS_SET_UNEVEN_INTERVAL ||
                         kind == SS_SET_POLYGON || kind == SS_SET_PRODUCT;
    const double zero[SS_SET_MAX_DIM] = {0};
    double least[SS_SET_MAX_DIM];
    if (!may_miss_zero || B->scale_from >= 0)
        return 0.0;
    ss_set_prox(B->set, B->scale, zero, least);
    return ss_norm(B->dim, least) / sqrt(r);
}

void ss_load_add(const ss_inclusion *inclusion, int block, double r, double r_N, ss_load *load)
{
    const ss_block *B = &inclusion->blocks[block];
    double c[SS_SET_MAX_DIM], size[SS_SET_MAX_DIM], value;
    if (inclusion->factor_start) {
        ss_inclusion_velocity(inclusion, NULL, inclusion->u_free, block, c);
        for (int k = 0; k < B->dim; k++)
            size[k] = ss_inclusion_row_size(inclusion, NULL, inclusion->u_free, block, k);
        value = sqrt(r) * ss_max_nan(ss_norm(B->dim, c), moving * ss_norm(B->dim, size));
    } else {
        value = sqrt(r) * ss_norm(B->dim, inclusion->c + B->offset);
    }
    value = ss_max_nan(value, least_impulse(B, r));
    if (!(value <= load->value))
        *load = (ss_load){value, r_N};
}

/* r of the contact of a block, given all of them. */
static double r_of_contact(const ss_inclusion *inclusion, int block, const double *r)
{
    int normal = ss_inclusion_normal(inclusion, block);
    return normal < 0 ? 0.0 : r[normal];
}

ss_load ss_inclusion_load(const ss_inclusion *inclusion, const double *r)
{
    ss_load load = {0};
    for (int i = 0; i < inclusion->n_blocks; i++)
        ss_load_add(inclusion, i, r[i], r_of_contact(inclusion, i, r), &load);
    return load;
}

void ss_inclusion_block_sizes(const ss_inclusion *inclusion, const double *P, int block,
                              double *impulse, double *load)
{
    const ss_block *B = &inclusion->blocks[block];
    double G = max_diagonal(inclusion, block);
    ss_load own = {0};
    *impulse = *load = 0.0;
    if (!(G > 0.0))
        return;
    ss_load_add(inclusion, block, 1.0 / G, 0.0, &own);
    *impulse = sqrt(G) * ss_norm(B->dim, P + B->offset);
    *load = own.value;
}

/* ---- Sums ---- */

double ss_residual_weight(const ss_load *load, double r_N)
{
    const double much = 100.0; /* heavier */
    return r_N > 0.0 && load->r > much * r_N ? sqrt(load->r / (much * r_N)) : 1.0;
}

void ss_residual_add(ss_residual_sum *sum, double error, double own, double weight, int block)
{
    sum->own = ss_max_nan(sum->own, own);
    bool smaller = error * weight <= sum->error * sum->weight || isnan(sum->error);
    if (sum->block >= 0 && smaller)
        return;
    sum->error = error;
    sum->weight = weight;
    sum->block = block;
}

ss_residual ss_residual_finish(const ss_residual_sum *sum)
{
    double reference =
        fmax(sum->load.value, fmin(sum->own, most_own * sum->load.value)) / sum->weight;
    ss_residual found = {.absolute = sum->error, .reference = reference, .worst_block = sum->block};
    found.value = sum->error == 0.0 ? 0.0 : sum->error / reference;
    if (sum->load.value > 0.0 && sum->own > SS_RESIDUAL_RUNAWAY * sum->load.value)
        found.value = fmax(found.value, 1.0);
    if (!isfinite(found.value) || !isfinite(sum->own))
        found.value = INFINITY;
    return found;
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
    double error;      /* ‖P - prox(x)‖ / √r with x = P - r γ; zero where that is rounding */
    double projection; /* ‖x - prox(x)‖ / √r */
    double floor;      /* what rounding makes of γ */
    double own;        /* ‖P‖ / √r, or the size of a set that is bounded */
} block_state;

/* The size of friction: what may be as large counts as much as what is. */
static double bound_of(const ss_block *B, double scale)
{
    return ss_set_is_round(B->set) || B->set->kind == SS_SET_BALL ? scale : 0.0;
}

static block_state judge(const ss_block_at *at, double load)
{
    const ss_block *B = at->block;
    double x[SS_SET_MAX_DIM], y[SS_SET_MAX_DIM], root = sqrt(at->r);
    for (int k = 0; k < B->dim; k++)
        x[k] = at->P[k] - at->r * at->gamma[k];
    if (!ss_all_finite(B->dim, x) || !isfinite(at->scale))
        return (block_state){INFINITY, INFINITY, 0.0, INFINITY};
    ss_set_prox(B->set, at->scale, x, y);
    block_state state = {
        .floor = fmin(noise * root * ss_norm(B->dim, at->size),
                      load > 0.0 ? most_noise * load : INFINITY),
        .own = fmax(ss_norm(B->dim, at->P) / root,
                    fmin(bound_of(B, at->scale) / root, most_own * load)),
    };
    for (int k = 0; k < B->dim; k++) {
        x[k] -= y[k];
        y[k] -= at->P[k];
    }
    state.projection = ss_norm(B->dim, x) / root;
    state.error = ss_norm(B->dim, y) / root;
    if (state.error <= state.floor)
        state.error = 0.0;
    return state;
}

static block_state evaluate(const ss_inclusion *inclusion, const double *P, const double *u,
                            int block, double r, double load)
{
    const ss_block *B = &inclusion->blocks[block];
    double gamma[SS_SET_MAX_DIM], size[SS_SET_MAX_DIM];
    ss_inclusion_velocity(inclusion, P, u, block, gamma);
    for (int k = 0; k < B->dim; k++)
        size[k] = ss_inclusion_row_size(inclusion, P, u, block, k);
    ss_block_at at = {.block = B,
                      .scale = ss_inclusion_scale(inclusion, P, block),
                      .P = P + B->offset,
                      .r = r,
                      .gamma = gamma,
                      .size = size};
    return judge(&at, load);
}

void ss_inclusion_block_residual(const ss_inclusion *inclusion, const double *P, const double *u,
                                 int block, double r, double *error, double *size)
{
    ss_load load = {0};
    block_state state = evaluate(inclusion, P, u, block, r, INFINITY);
    ss_load_add(inclusion, block, r, 0.0, &load);
    *error = state.error;
    *size = ss_max_nan(load.value, state.own);
}

void ss_block_residual(const ss_block_at *at, ss_residual_sum *sum)
{
    block_state state = judge(at, sum->load.value);
    ss_residual_add(sum, state.error, state.own, ss_residual_weight(&sum->load, at->r_N),
                    at->number);
}

ss_residual ss_inclusion_residual_given(const ss_inclusion *inclusion, const double *r,
                                        const ss_load *load, const double *P, const double *u)
{
    ss_residual_sum sum = {.load = *load, .weight = 1.0, .block = -1};
    for (int i = 0; i < inclusion->n_blocks; i++) {
        block_state state = evaluate(inclusion, P, u, i, r[i], load->value);
        double weight = ss_residual_weight(load, r_of_contact(inclusion, i, r));
        ss_residual_add(&sum, state.error, state.own, weight, i);
    }
    return ss_residual_finish(&sum);
}

/* r of a block, and of its contact, where nobody keeps them. */
static double natural_r(const ss_inclusion *inclusion, int block, double default_value, double *r_N)
{
    int normal = ss_inclusion_normal(inclusion, block);
    double r = ss_inverse(max_diagonal(inclusion, block), default_value);
    *r_N = normal < 0        ? 0.0
           : normal == block ? r
                             : ss_inverse(max_diagonal(inclusion, normal), default_value);
    return r;
}

static ss_load natural_load(const ss_inclusion *inclusion, double default_value)
{
    ss_load load = {0};
    double r_N;
    for (int i = 0; i < inclusion->n_blocks; i++) {
        double r = natural_r(inclusion, i, default_value, &r_N);
        ss_load_add(inclusion, i, r, r_N, &load);
    }
    return load;
}

ss_residual ss_inclusion_residual(const ss_inclusion *inclusion, const double *P, const double *u)
{
    double default_value = fallback_r(inclusion), r_N;
    ss_residual_sum sum = {
        .load = natural_load(inclusion, default_value), .weight = 1.0, .block = -1};
    for (int i = 0; i < inclusion->n_blocks; i++) {
        double r = natural_r(inclusion, i, default_value, &r_N);
        block_state state = evaluate(inclusion, P, u, i, r, sum.load.value);
        ss_residual_add(&sum, state.error, state.own, ss_residual_weight(&sum.load, r_N), i);
    }
    return ss_residual_finish(&sum);
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
    double default_value = fallback_r(inclusion);
    ss_load load = natural_load(inclusion, default_value);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        double r_N, r = natural_r(inclusion, i, default_value, &r_N);
        block_state state = evaluate(inclusion, P, u, i, r, load.value);
        double limit = fmax(tolerance * fmax(load.value, state.own), state.floor);
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
