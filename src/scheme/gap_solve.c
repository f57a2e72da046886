/* gap_solve.c: laws with the gap at the end of the step inside the projection, and positions that
 * are projected.
 *
 * Both are fixed points of solves with a corrected right side: with the displacement x and b =
 * d(q(x)) - Wᵀx the inclusion -(Wᵀx + b) ∈ N(P) is the linearized one, and what b leaves out
 * vanishes where it repeats itself.
 */
#include "assembly/work.h"
#include "scheme/general.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_SOLVES = 60 };

/* Compares right sides between solves. */
typedef struct settling {
    double change, last_change;
    double size;  /* of the numbers compared */
    double floor; /* rounding of the positions */
} settling;

static settling settle_from(const ss_general *g, double scale)
{
    settling s = {.change = INFINITY};
    for (int i = 0; i < g->size.n_q; i++)
        s.floor = fmax(s.floor, 4 * DBL_EPSILON * fabs(g->q_B[i]) * scale);
    return s;
}

/* Rounding of the gaps, divided by a small Δt, may keep the change above any tolerance. */
static bool settled(const settling *s)
{
    return s->change <= fmax(1e-13 * s->size, s->floor) ||
           (s->change <= 1e-6 * s->size && s->change >= s->last_change / 2);
}

/* b = d scale - Wᵀu of the displaced blocks. */
static void correct(const ss_general *g, double scale, const double *u, settling *s)
{
    ss_work *work = g->work;
    ss_inclusion *inclusion = ss_work_inclusion(work);
    s->last_change = s->change;
    s->change = 0;
    for (int i = 0; i < inclusion->n_blocks; i++) {
        int l = work->block_law[i], offset = inclusion->blocks[i].offset;
        if (!work->laws[l].displaced)
            continue;
        double gamma[SS_SET_MAX_DIM];
        ss_inclusion_velocity(inclusion, work->P, u, i, gamma);
        for (int k = 0; k < inclusion->blocks[i].dim; k++) {
            double before = inclusion->b[offset + k], pushed = gamma[k] - before;
            double now = g->gap[work->table.laws[l].offset + k] * scale - pushed;
            if (g->d->form.kind == SS_FORM_DISPLACEMENT)
                now = ss_general_nearer(g, i, now);
            if (fabs(now - before) <=
                s->floor) /* else rounding of q_E, divided by Δt, were a speed */
                now = before;
            s->change = fmax(s->change, fabs(now - before));
            s->size = fmax(s->size, fmax(fabs(now), fabs(pushed)));
            inclusion->b[offset + k] = now;
        }
    }
}

/* Distances where the velocities u lead to; leaves F as it was. */
static ss_status distances_at_end(ss_general *g, const double *u)
{
    double t_D = g->work->t;
    double *q_D = g->work->q_scratch;
    memcpy(q_D, g->work->q, (size_t)g->size.n_q * sizeof *q_D);
    SS_TRY(ss_general_move(g, u, g->q_E));
    SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B + g->dt, g->q_E));
    SS_TRY(ss_work_distances_again(g->work, g->gap));
    return g->work->model->any_F ? ss_work_evaluate_geometry(g->work, t_D, q_D) : SS_OK;
}

/* The gap at the end linearized where the laws are, D, which is all of it when it is linear:
 * g_E = g_D + Wᵀ((1 - α - D) u_B + α u_E) Δt + ζ (1 - D) Δt. */
static void linearized_gap(ss_general *g)
{
    double alpha = g->d->alpha, along = 1 - alpha - g->d->laws;
    ss_inclusion *inclusion = ss_work_inclusion(g->work);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_law *law = &g->work->table.laws[g->work->block_law[i]];
        const ss_work_element *we = &g->work->elements[law->element];
        double *b = inclusion->b + inclusion->blocks[i].offset;
        if (!g->work->laws[g->work->block_law[i]].displaced)
            continue;
        for (int k = 0; k < law->dim; k++) {
            double zeta = we->zeta[law->row + k];
            b[k] = (b[k] - zeta + along * we->gamma_B[law->row + k]) / alpha + zeta;
        }
    }
}

ss_status ss_general_solve_gap(ss_general *g)
{
    double scale = 1 / (g->d->alpha * g->dt);
    settling s = settle_from(g, scale);
    linearized_gap(g);
    memcpy(g->u_E, g->u_free, (size_t)g->size.n_u * sizeof *g->u_E);
    *g->report = (ss_solve_report){.outcome = SS_CONVERGED, .residual.worst_block = -1};
    for (int k = 0; k < MOST_SOLVES; k++) {
        ss_solve_report report;
        SS_TRY(distances_at_end(g, g->u_E));
        correct(g, scale, g->u_E, &s);
        if (k > 0 && settled(&s))
            return SS_OK;
        SS_TRY(ss_work_solve(g->work, g->B, g->u_free, g->u_E, &report));
        ss_general_join_report(&report, g->report);
    }
    if (ss_outcome_accepted(g->report->outcome))
        g->report->outcome = SS_MAX_ITERATIONS;
    return SS_OK;
}

/* δ by rows of all laws; `pull` is M⁻¹ h Δt. */
static void allow(ss_general *g, double delta, const double *pull, double *allowed)
{
    const ss_inclusion *inclusion = ss_work_inclusion(g->work);
    double plus[1] = {1};
    memset(allowed, 0, (size_t)g->size.n_rows * sizeof *allowed);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *block = &inclusion->blocks[i];
        const ss_law *law = &g->work->table.laws[g->work->block_law[i]];
        double gamma[SS_SET_MAX_DIM], epsilon = law->epsilon[0];
        if (!ss_law_opens(law) || block->dim != 1)
            continue;
        ss_inclusion_velocity(inclusion, NULL, pull, i, gamma);
        double closing = fabs(gamma[0] - inclusion->b[block->offset]);
        double enough = closing * epsilon / (1 + epsilon) * g->dt / 2;
        double side = ss_set_contains(block->set, 1, plus, 0) ? 1 : -1;
        allowed[law->offset] = side * (delta < 0 ? enough : delta);
    }
}

/* The distances at q = q_E + F x, with δ. */
static ss_status projected_distances(ss_general *g, const double *x, const double *allowed)
{
    ss_work_move(g->work, g->q_E, x, 1, g->q);
    SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B + g->dt, g->q));
    SS_TRY(ss_work_distances_again(g->work, g->gap));
    for (int i = 0; i < g->size.n_rows; i++)
        g->gap[i] += allowed[i];
    return SS_OK;
}

static ss_status projection_laws(ss_general *g, double delta, double *zero, double *pull)
{
    const ss_law_form form = {.kind = SS_FORM_PROJECTION};
    for (int i = 0; i < g->size.n_u; i++) {
        pull[i] = g->u_free[i] - g->u_B[i];
        zero[i] = 0;
    }
    SS_TRY(ss_general_go(g, g->d->laws, false));
    SS_TRY(ss_work_laws_as(g->work, &form, g->dt, zero, zero));
    allow(g, delta, pull, g->gap_before);
    return SS_OK;
}

ss_status ss_general_project(ss_general *g, double delta)
{
    settling s = settle_from(g, 1);
    ss_statistics *sums = ss_state_edit_statistics(g->E);
    double *x = g->impulse, *zero = g->u_free;
    SS_TRY(projection_laws(g, delta, x, g->h));
    memcpy(zero, x, (size_t)g->size.n_u * sizeof *zero);
    for (int k = 0; k < MOST_SOLVES && ss_work_inclusion(g->work)->n_blocks > 0; k++) {
        ss_solve_report report;
        SS_TRY(projected_distances(g, x, g->gap_before));
        correct(g, 1, x, &s);
        if (k > 0 && settled(&s))
            break;
        SS_TRY(ss_work_solve(g->work, NULL, zero, x, &report));
        ss_general_join_report(&report, g->report);
        sums->iterations += (uint64_t)report.iterations;
        sums->failures += !ss_outcome_accepted(report.outcome);
    }
    ss_work_move(g->work, g->q_E, x, 1, g->q);
    memcpy(g->q_E, g->q, (size_t)g->size.n_q * sizeof *g->q);
    return ss_work_review(g->work, g->t_B + g->dt, g->q_E, g->u_E);
}
