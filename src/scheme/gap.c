/* gap.c: schemes with the gap itself at the end of the step, inside the projection (preconditioned index 3) or by
 * positions that are projected (after Gear, Gupta and Leimkuhler).
 *
 * Both are fixed points of solves with a corrected right side: with the displacement x and b =
 * d(q(x)) - Wᵀx the inclusion -(Wᵀx + b) ∈ N(P) is the linearized one, and what b leaves out
 * vanishes where it repeats itself.
 */
#include "assembly/work.h"
#include "la/small.h"
#include "scheme/builtin.h"
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
    ss_inclusion *inclusion = &work->inclusion;
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

ss_status ss_general_solve_gap(ss_general *g)
{
    double scale = 1 / (g->d->alpha * g->dt), t_D = g->work->t, *q_D = g->work->q_scratch;
    double alpha = g->d->alpha, along = 1 - alpha - g->d->laws;
    const ss_inclusion *inclusion = &g->work->inclusion;
    settling s = settle_from(g, scale);
    /* The gap at the end linearized where the laws are, D, which is all of it when it is linear:
     * g_E = g_D + Wᵀ((1 - α - D) u_B + α u_E) Δt + ζ (1 - D) Δt. */
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_law *law = &g->work->table.laws[g->work->block_law[i]];
        const ss_work_element *we = &g->work->elements[law->element];
        double *b = inclusion->b + inclusion->blocks[i].offset;
        bool displaced = g->work->laws[g->work->block_law[i]].displaced;
        for (int k = 0; k < law->dim && displaced; k++) {
            double zeta = we->zeta[law->row + k];
            b[k] = (b[k] - zeta + along * we->gamma_B[law->row + k]) / alpha + zeta;
        }
    }
    memcpy(g->u_E, g->u_free, (size_t)g->size.n_u * sizeof *g->u_E);
    *g->report = (ss_solve_report){.outcome = SS_CONVERGED, .residual.worst_block = -1};
    for (int k = 0; k < MOST_SOLVES; k++) {
        ss_solve_report report;
        memcpy(q_D, g->work->q, (size_t)g->size.n_q * sizeof *q_D); /* F stays as it was */
        SS_TRY(ss_general_move(g, g->u_E, g->q_E));
        SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B + g->dt, g->q_E));
        SS_TRY(ss_work_distances_again(g->work, g->gap));
        if (g->work->model->any_F)
            SS_TRY(ss_work_evaluate_geometry(g->work, t_D, q_D));
        correct(g, scale, g->u_E, &s);
        if (k > 0 && settled(&s))
            return SS_OK;
        SS_TRY(ss_work_solve(g->work, g->B, g->u_free, g->u_E, &report));
        ss_general_join_report(&report, g->report, NULL);
    }
    if (ss_outcome_accepted(g->report->outcome))
        g->report->outcome = SS_MAX_ITERATIONS;
    return SS_OK;
}

/* The gap itself at the end of the step (S5.1.3.3, S5.3.8),
 *
 *     M (û_E - û_B) = h Δt² + W 𝒫,   -g(q_E) ∈ N(𝒫)                (S5.103–S5.106)
 *     q_E = q_B + F ((1 - α) û_B + α û_E)
 *
 * with û = u Δt, 𝒫 = P Δt, and M, W and h in the middle of the step. The inclusion in û and 𝒫 is
 * the one in u and P with both sides divided by Δt; solver and residual do not depend on such
 * scales, and nothing else is divided by Δt². α = 1 makes impacts inelastic within two steps; α =
 * 1/2 (constraints only) keeps the energy.
 */
static const ss_key index3_keys[] = {
    {"alpha", SS_KEY_REAL, offsetof(ss_discretization, alpha), "1", DBL_MIN, 1, NULL, "",
     "Share α of the velocities at the end in the positions: 1 for contacts, 0.5 for constraints."},
    {NULL},
};

static ss_status index3_init(void *self, ss_context *context)
{
    ss_discretization *d = self;
    (void)context;
    d->mass = d->laws = d->h = 0.5;
    d->form.kind = SS_FORM_DISPLACEMENT;
    return SS_OK;
}

static ss_status index3_step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                             double dt, ss_state *E, ss_solve_report *report)
{
    ss_general g = ss_general_open(self, work, scratch, B, dt, E, report);
    SS_TRY(ss_general_evaluate(&g));
    SS_TRY(ss_general_solve_gap(&g));
    return ss_general_finish(&g);
}

const ss_scheme_ops ss_preconditioned_index3_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "preconditioned_index3",
             "Gaps of the end of the step, not linearized, inside the projection.",
             sizeof(ss_discretization), index3_keys},
    .init = index3_init,
    .scratch = ss_general_scratch,
    .step = index3_step,
    .can = {.order = 1,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED},
};

/* Time-stepping after Gear, Gupta and Leimkuhler (S5.1.3.2, S5.3.7): Moreau's midpoint rule,
 * then positions that are projected on -(g_E + δ) ∈ N(P_q), q_E = q_B + F (u_B + u_E)/2 Δt + M⁻¹ W
 * P_q. The projection may bring energy in. */

/* Moves q_E by M⁻¹WP until -(d(q_E) + δ) ∈ N(P) (S5.86, S5.87), δ for laws that can open. δ < 0: what suffices for a
 * contact to come to rest (S5.91), δ = u_crit Δt/2 with u_crit = a Δt ε/(1 + ε) and the acceleration a that h gives the
 * contact. u_free is as ss_general_evaluate left it. */
static ss_status project(ss_general *g, double delta)
{
    const ss_law_form form = {.kind = SS_FORM_PROJECTION};
    settling s = settle_from(g, 1);
    double *x = g->impulse, *zero = g->u_free;
    double *pull = g->h, *allowed = g->gap_before; /* M⁻¹ h Δt; δ by rows of all laws */
    for (int i = 0; i < g->size.n_u; i++) {
        pull[i] = g->u_free[i] - g->u_B[i];
        x[i] = 0;
    }
    SS_TRY(ss_general_go(g, g->d->laws, false));
    SS_TRY(ss_work_laws_as(g->work, &form, g->dt, x, x));
    const ss_inclusion *inclusion = &g->work->inclusion;
    const double plus = 1;
    memset(allowed, 0, (size_t)g->size.n_rows * sizeof *allowed);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *block = &inclusion->blocks[i];
        const ss_law *law = &g->work->table.laws[g->work->block_law[i]];
        double gamma[SS_SET_MAX_DIM], epsilon = g->work->restitution[law->offset];
        if (!ss_law_opens(law) || block->dim != 1)
            continue;
        ss_inclusion_velocity(inclusion, NULL, pull, i, gamma);
        double closing = fabs(gamma[0] - inclusion->b[block->offset]);
        double enough = closing * epsilon / (1 + epsilon) * g->dt / 2;
        double side = ss_set_contains(block->set, 1, &plus, 0) ? 1 : -1;
        allowed[law->offset] = side * (delta < 0 ? enough : delta);
    }
    memcpy(zero, x, (size_t)g->size.n_u * sizeof *zero);
    for (int k = 0; k < MOST_SOLVES && g->work->inclusion.n_blocks > 0; k++) {
        ss_solve_report report;
        ss_work_move(g->work, g->q_E, x, 1, g->q); /* the distances at q_E + F x, with δ */
        SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B + g->dt, g->q));
        SS_TRY(ss_work_distances_again(g->work, g->gap));
        ss_axpy(g->size.n_rows, 1, allowed, g->gap);
        correct(g, 1, x, &s);
        if (k > 0 && settled(&s))
            break;
        SS_TRY(ss_work_solve(g->work, NULL, zero, x, &report));
        ss_general_join_report(&report, g->report, ss_state_edit_statistics(g->E));
    }
    ss_work_move(g->work, g->q_E, x, 1, g->q);
    memcpy(g->q_E, g->q, (size_t)g->size.n_q * sizeof *g->q);
    return ss_work_review(g->work, g->t_B + g->dt, g->q_E, g->u_E);
}

typedef struct ggl {
    double penetration;
} ggl;

static const ss_key ggl_keys[] = {
    {"penetration", SS_KEY_REAL, offsetof(ggl, penetration), "-1", -INFINITY, INFINITY, NULL,
     "m, rad",
     "Penetration δ up to which positions of laws that can open are left alone; negative: what "
     "suffices for a "
     "contact to come to rest, from step to step."},
    {NULL},
};

/* Which laws were active in the step is asked after it, and the projection makes an inclusion of its
 * own: blocks and levels of the step are kept beside. */
static size_t scratch_size(const void *self, const ss_model *model, const ss_model_size *size)
{
    return ss_general_scratch(self, model, size) + 2 * (size_t)size->n_laws;
}

/* A law that was open in the step, but that the projection has pushed, is closed at its end. */
static void close_projected(const ss_general *g, int l)
{
    int block = g->work->laws[l].block, *mode = ss_state_edit_mode(g->E) + l;
    const ss_law *law = &g->work->table.laws[l];
    bool pushed = false;
    for (int i = 0; block >= 0 && ss_law_opens(law) && i < law->dim; i++)
        pushed = pushed || g->work->P[g->work->blocks[block].offset + i] != 0;
    if (!pushed || *mode == 0)
        return;
    *mode = 0;
    uint64_t *switches = &ss_state_edit_statistics(g->E)->switches;
    *switches = ss_state_mode(g->B)[l] == 0 ? *switches - 1 : *switches + 1;
}

static ss_status ggl_step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                          double dt, ss_state *E, ss_solve_report *report)
{
    const ss_discretization d = {.mass = 0.5, .laws = 0.5, .h = 0.5, .alpha = 0.5};
    const ggl *o = self;
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, report);
    SS_TRY(ss_general_evaluate(&g));
    SS_TRY(ss_general_solve(&g));
    SS_TRY(ss_general_finish(&g));
    double *kept = g.behind;
    for (int l = 0; l < g.size.n_laws; l++) {
        kept[2 * l] = work->laws[l].block;
        kept[2 * l + 1] = work->laws[l].level;
    }
    SS_TRY(project(&g, o->penetration));
    for (int l = 0; l < g.size.n_laws; l++) {
        close_projected(&g, l);
        work->laws[l].block = (int)kept[2 * l];
        work->laws[l].level = (ss_level)kept[2 * l + 1];
    }
    return SS_OK;
}

const ss_scheme_ops ss_ggl_ops = {
    .type =
        {SS_ABI, sizeof(ss_scheme_ops), "ggl",
         "Time-stepping after Gear, Gupta and Leimkuhler: Moreau's rule, and positions projected.",
         sizeof(ggl), ggl_keys},
    .scratch = scratch_size,
    .step = ggl_step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_BOTH,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED},
};
