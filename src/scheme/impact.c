/* impact.c: impacts at one instant. */
#include "scheme/impact.h"

#include "assembly/work.h"

#include <math.h>
#include <string.h>

/* { x >= 1 } and { x <= -1 }: scaled by ε P_C, what the expansion must give back. */
static void prox_beyond(const void *self, int dim, double scale, const double *x, double *y)
{
    double sign = *(const double *)self;
    (void)dim;
    y[0] = sign * x[0] < scale ? sign * scale : x[0];
}

static bool contains_beyond(const void *self, int dim, double scale, const double *x,
                            double tolerance)
{
    (void)dim;
    return *(const double *)self * x[0] >= scale - tolerance;
}

static double support_beyond(const void *self, int dim, double scale, const double *v)
{
    double along = *(const double *)self * v[0];
    (void)dim;
    return along > 0 ? INFINITY : scale * along;
}

static const ss_set_ops beyond_ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_set_ops),
             .name = "beyond",
             .doc = "All x at and beyond a bound."},
    .prox = prox_beyond,
    .contains = contains_beyond,
    .support = support_beyond,
};
static const double up = 1, down = -1;
static const ss_set above = {&beyond_ops, &up, 1}, below = {&beyond_ops, &down, 1};

/* 1: the law pushes, -1: it pulls, 0: it is not one-sided. */
static int side_of(const ss_work *work, int block)
{
    const ss_block *B = &work->blocks[block];
    if (B->dim != 1 || work->table.laws[work->block_law[block]].kind != SS_GEOMETRIC)
        return 0;
    return (int)ss_set_contains(B->set, 1, &up, 0) - (int)ss_set_contains(B->set, 1, &down, 0);
}

/* Whether a closed law approaches, by more than rounding beside what its last impulse did. */
static bool approaches(const ss_work *work, const ss_impact *impact)
{
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        double gamma[SS_SET_MAX_DIM], G;
        int side = side_of(work, i), row = work->table.laws[work->block_law[i]].offset;
        if (side == 0)
            continue;
        ss_inclusion_velocity(&work->inclusion, NULL, impact->u, i, gamma);
        ss_inclusion_diagonal(&work->inclusion, i, &G);
        if (side * gamma[0] < -1e-6 * G * fabs(ss_state_P(impact->state)[row]))
            return true;
    }
    return false;
}

bool ss_impact_begin_expansion(ss_work *work, const double *u_before, double rest_speed,
                               const bool *inelastic)
{
    bool any = false;
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        int side = side_of(work, i);
        double epsilon = work->table.laws[work->block_law[i]].epsilon[0], gamma;
        double P = fabs(work->P[work->blocks[i].offset]);
        if (side == 0 || epsilon == 0 || P == 0 || (inelastic && inelastic[work->block_law[i]]))
            continue;
        ss_inclusion_velocity(&work->inclusion, NULL, u_before, i, &gamma);
        if (-side * gamma < rest_speed)
            continue;
        work->blocks[i].set = side > 0 ? &above : &below;
        work->blocks[i].scale = epsilon * P;
        any = true;
    }
    return any;
}

/* Impulses, modes and dissipation -P (γ⁻ + γ⁺)/2 of the impact. */
static void account(const ss_work *work, const ss_impact *impact, const double *u_before,
                    const double *compression)
{
    ss_statistics *sums = ss_state_edit_statistics(impact->state);
    double gain = 0, size = 0;
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        const ss_block *B = &work->blocks[i];
        const ss_law *law = &work->table.laws[work->block_law[i]];
        double before[SS_SET_MAX_DIM], after[SS_SET_MAX_DIM];
        ss_inclusion_velocity(&work->inclusion, NULL, u_before, i, before);
        ss_inclusion_velocity(&work->inclusion, NULL, impact->u, i, after);
        for (int k = 0; k < B->dim; k++) {
            double P = work->P[B->offset + k] + compression[B->offset + k];
            ss_state_edit_P(impact->state)[law->offset + k] += P;
            sums->dissipated -= P * (before[k] + after[k]) / 2;
            gain += P * (before[k] + after[k]) / 2;
            size += fabs(P) * (fabs(before[k]) + fabs(after[k])) / 2;
            sums->load_work -=
                P * ss_work_outside_velocity(work, law->element, law->row + k, impact->u);
        }
        if (side_of(work, i) != 0)
            ss_state_edit_mode(impact->state)[work->block_law[i]] = 0;
    }
    ss_count_gain(gain, size, &impact->report->residual, sums);
}

static ss_status solve_phase(ss_work *work, ss_impact *impact, const double *u_free)
{
    ss_solve_report report;
    SS_TRY(ss_work_solve(work, NULL, u_free, impact->u, &report));
    ss_general_join_report(&report, impact->report, ss_state_edit_statistics(impact->state));
    return SS_OK;
}

ss_status ss_impact_solve(ss_work *work, ss_impact *impact)
{
    const ss_law_form form = {.kind = SS_FORM_IMPACT, .near = impact->near};
    int n_u = work->model->n_u, n_rows = work->table.n_rows;
    double *u_before = impact->scratch, *u_free = u_before + n_u, *compression = u_free + n_u;
    impact->hit = false;
    SS_TRY(ss_work_evaluate(work, impact->t, impact->q));
    SS_TRY(ss_work_laws_as(work, &form, 0, impact->u, NULL));
    if (!approaches(work, impact))
        return SS_OK;
    impact->hit = true;
    memcpy(u_before, impact->u, (size_t)n_u * sizeof *u_before);
    memset(ss_state_edit_P(impact->state), 0, (size_t)n_rows * sizeof(double));
    memset(compression, 0, (size_t)n_rows * sizeof *compression);
    SS_TRY(solve_phase(work, impact, u_before));
    if (impact->elastic) {
        memcpy(compression, work->P, (size_t)work->inclusion.n_rows * sizeof *compression);
        if (ss_impact_begin_expansion(work, u_before, impact->rest_speed, NULL)) {
            memcpy(u_free, impact->u, (size_t)n_u * sizeof *u_free);
            SS_TRY(solve_phase(work, impact, u_free));
        } else {
            memset(compression, 0, (size_t)n_rows * sizeof *compression);
        }
    }
    account(work, impact, u_before, compression);
    return SS_OK;
}
