/* relaxation.c: the choice of r_i (S4.2.4.3). */
#include "la/small.h"
#include "rows/check.h"
#include "rows/residual.h"
#include "solver/prox.h"

#include <string.h>

static double mean_diagonal(const ss_inclusion *inclusion, int i)
{
    double Gii[SS_SET_MAX_DIM * SS_SET_MAX_DIM], sum = 0.0;
    int dim = inclusion->blocks[i].dim;
    ss_inclusion_diagonal(inclusion, i, Gii);
    for (int k = 0; k < dim; k++)
        sum += Gii[k * dim + k];
    return sum / dim;
}

/* max_h Σ_k |G_hk| over the rows of block i */
static double max_row_sum(ss_prox_solver *s, const ss_inclusion *inclusion, int i)
{
    double sums[SS_SET_MAX_DIM] = {0}, own[SS_SET_MAX_DIM * SS_SET_MAX_DIM];
    int count = ss_coupling_neighbours(inclusion, &s->coupling, i, s->neighbours);
    int rows = inclusion->blocks[i].dim;
    for (int n = 0; n < count; n++) {
        int columns = inclusion->blocks[s->neighbours[n]].dim;
        const double *G = ss_inclusion_G(inclusion, i, s->neighbours[n], own);
        for (int k = 0; k < rows; k++)
            for (int l = 0; l < columns; l++)
                sums[k] += fabs(G[k * columns + l]);
    }
    double largest = sums[0];
    for (int k = 1; k < rows; k++)
        largest = ss_max_nan(largest, sums[k]);
    return largest;
}

/* The smallest r of the diagonal choice, which is also that of the blocks that move nothing. */
static double smallest_natural(const ss_prox_solver *s, int n)
{
    double smallest = n > 0 ? s->natural_r[0] : 1.0;
    for (int i = 1; i < n; i++)
        smallest = fmin(smallest, s->natural_r[i]);
    return smallest;
}

static void choose(ss_prox_solver *s, const ss_inclusion *inclusion)
{
    int n = inclusion->n_blocks;
    double default_value = smallest_natural(s, n), spectral = default_value;
    if (s->options.r == SS_R_SPECTRAL && n > 0)
        spectral = ss_spectral_r(inclusion, default_value, s->spectral);
    if (s->options.r == SS_R_ROW_SUM)
        ss_coupling_build(inclusion, &s->coupling);
    for (int i = 0; i < n; i++) {
        double r = s->natural_r[i]; /* S4.59 */
        if (s->options.r == SS_R_ROW_SUM)
            r = ss_inverse(max_row_sum(s, inclusion, i), default_value); /* S4.60 */
        else if (s->options.r == SS_R_SPECTRAL)
            r = spectral;
        else if (s->options.r == SS_R_MEAN)
            r = ss_inverse(mean_diagonal(inclusion, i), default_value);
        s->blocks[i].r = r * s->options.relaxation * s->options.r_scale;
    }
}

/* With r below the residual's own, a change ‖ΔP‖ means an error of up to ‖ΔP‖ · (natural r) / r. */
static void weigh(const ss_inclusion *inclusion, int i, double natural, ss_prox_block *block)
{
    const ss_block *B = &inclusion->blocks[i];
    double ratio = fmax(1.0, natural / block->r);
    block->reference_weight = 1.0 / natural;
    block->error_weight = ratio * ratio / natural;
    block->kind = B->set->kind;
    block->scale_row = B->scale_from < 0 ? -1 : inclusion->blocks[B->scale_from].offset;
}

static bool usable(double r)
{
    return r > 0.0 && isfinite(r);
}

ss_status ss_prox_relax(ss_prox_solver *solver, ss_context *context, const ss_inclusion *inclusion)
{
    ss_inclusion_natural_r(inclusion, solver->natural_r);
    return ss_prox_relax_from(solver, context, inclusion);
}

ss_status ss_prox_relax_from(ss_prox_solver *solver, ss_context *context,
                             const ss_inclusion *inclusion)
{
    choose(solver, inclusion);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        ss_prox_block *block = &solver->blocks[i];
        const ss_block *B = &inclusion->blocks[i];
        if (B->r > 0.0)
            block->r = B->r;
        if (!usable(solver->natural_r[i]) || !usable(block->r) || !isfinite(B->scale)) {
            SS_TRY(ss_inclusion_check_numbers(context, inclusion));
            return ss_fail(context, SS_NON_FINITE,
                           "inclusion: G of block %d is so large or small that r = %g", i,
                           block->r);
        }
        weigh(inclusion, i, solver->natural_r[i], block);
    }
    return SS_OK;
}
