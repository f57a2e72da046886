/* stiegelmeier.c: the schemes of Stiegelmeier, of Funk, and of Foerg, Pfeiffer and Ulbrich (S5.3.5).
 *
 * Stiegelmeier's: everything where the step begins, q_E = q_B + F u_E Δt, -(g_B + γ_E Δt) ∈ N(P). A
 * step in which a law with restitution closes is repeated with Moreau's law, S5.52. Such laws do not
 * push out of a penetration, which would be an impact of its own.
 *
 * Heun's variant has order two and knows no impacts: the step above leads to (q', u'), and
 *
 *     M (u_E - u_B) = (h(q_B, u_B, t_B) + h(q', u', t_E))/2 Δt + W P,   q_E = q_B + F (u_B + u_E)/2 Δt
 *
 * with M and W in the middle, and the gap where S5.39 has it for this position update.
 */
#include "assembly/work.h"
#include "la/small.h"
#include "scheme/builtin.h"
#include "scheme/general.h"

#include <string.h>

/* Contacts with restitution have to be told from each other through a step. */
static ss_contact_policy elastic_contacts(const void *self, const ss_model *model)
{
    (void)self;
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
        if (ss_element_rule(&model->elements[law->element]) && law->kind == SS_GEOMETRIC &&
            ss_law_is_elastic(&model->elements[law->element], law))
            return SS_CONTACTS_FOLLOWED;
    }
    return SS_CONTACTS_DETECTED;
}

/* Laws with restitution that were open when the step began, approach, and are closed at its end. */
static bool mark_hits(ss_general *g)
{
    bool any = false;
    for (int l = 0; l < g->size.n_laws; l++) {
        const ss_law *law = &g->work->table.laws[l];
        const ss_work_law *wl = &g->work->laws[l];
        bool hit = false;
        if (g->on_velocity[l] || !wl->displaced || wl->block < 0 ||
            !ss_law_is_elastic(&g->work->table.elements[law->element], law) ||
            ss_state_mode(g->B)[l] == 0)
            continue;
        for (int i = 0; i < law->dim; i++)
            hit = hit || g->work->P[g->work->blocks[wl->block].offset + i] != 0;
        g->on_velocity[l] = hit;
        any = any || hit;
    }
    return any;
}

/* A step in which a law with restitution closes is rejected and repeated with that law on velocity level, S5.52. */
static ss_status elastic_step(ss_general *g)
{
    ss_discretization d = *g->d;
    const ss_discretization *given = g->d;
    ss_solve_report report = {.outcome = SS_CONVERGED, .residual.worst_block = -1},
                    *total = g->report;
    memset(g->on_velocity, 0, (size_t)g->size.n_laws * sizeof *g->on_velocity);
    d.form.on_velocity = g->on_velocity;
    g->d = &d;
    g->report = &report;
    *total = report;
    do {
        SS_TRY(ss_general_evaluate(g));
        SS_TRY(ss_general_solve(g));
        ss_general_join_report(&report, total, NULL);
    } while (mark_hits(g));
    g->d = given;
    g->report = total;
    return ss_general_finish(g);
}

typedef struct stiegelmeier {
    bool heun;
} stiegelmeier;

static const ss_key keys[] = {
    {"heun", SS_KEY_BOOL, offsetof(stiegelmeier, heun), "false", 0, 0, NULL, "",
     "Heun's variant, of order two; only for models in which no law can open and close."},
    {NULL},
};

static const char *closes_in_two_steps(const void *self, const ss_model *model)
{
    (void)self;
    return ss_general_any_elastic_beside(model) ? "friction or a constraint has restitution; with "
                                                  "gaps in the laws a contact may take "
                                                  "two steps to close, and each of them would "
                                                  "reflect the velocity; moreau, for one, "
                                                  "treats both"
                                                : NULL;
}

static const char *refuses(const void *self, const ss_model *model)
{
    const char *reason = closes_in_two_steps(self, model);
    if (reason)
        return reason;
    return ((const stiegelmeier *)self)->heun && ss_general_any_opens(model)
               ? "its variant of Heun does not treat impacts, and a law of the model can open and "
                 "close; 'heun: false' does"
               : NULL;
}

/* Doubles of ss_general, and velocities or forces of its own. */
static size_t scratch_size(const void *self, const ss_model *model, const ss_model_size *size)
{
    return ss_general_scratch(self, model, size) + (size_t)size->n_u;
}

static ss_status heun_step(ss_general *g, double *mean)
{
    const ss_discretization middle = {
        .mass = 0.5, .laws = 0.5, .alpha = 0.5, .form = {.kind = SS_FORM_DISPLACEMENT}};
    ss_solve_report first, second, *total = g->report;
    g->report = &first;
    SS_TRY(elastic_step(g));
    SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B, g->q_B)); /* (h_B + h')/2 */
    SS_TRY(ss_work_forces(g->work, g->u_B, mean));
    SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B + g->dt, g->q_E));
    SS_TRY(ss_work_forces(g->work, g->u_E, g->h));
    for (int i = 0; i < g->size.n_u; i++)
        mean[i] = (mean[i] + g->h[i]) / 2;
    g->d = &middle;
    g->given_h = mean;
    g->report = &second;
    SS_TRY(ss_general_evaluate(g));
    SS_TRY(ss_general_solve(g));
    *total = first;
    ss_general_join_report(&second, total, NULL);
    g->report = total;
    return ss_general_finish(g);
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const stiegelmeier *o = self;
    const ss_discretization d = {.alpha = 1,
                                 .form = {.kind = SS_FORM_DISPLACEMENT, .clamp_elastic = true}};
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, report);
    return o->heun ? heun_step(&g, g.behind) : elastic_step(&g);
}

const ss_scheme_ops ss_stiegelmeier_ops = {
    .type =
        {SS_ABI, sizeof(ss_scheme_ops), "stiegelmeier",
         "Scheme of Stiegelmeier: explicit, gaps in the laws, steps with elastic impacts repeated.",
         sizeof(stiegelmeier), keys},
    .refuses = refuses,
    .scratch = scratch_size,
    .step = step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true},
    .contacts = elastic_contacts,
};

/* ---- Funk ---- */

/* Any α and β, h linearized in q, u and t where the step
 * begins,
 *
 *     ĥ = h_B + β Δt (∂h/∂q F u_B + ∂h/∂t)             with h at (q_B, u_B, t_B)
 *     M̂ = M - βα Δt² ∂h/∂q F - β Δt ∂h/∂u
 *
 * and -(g_D + γ_E Δt) ∈ N(P); M, W and the gap at q_D = q_B + (1 - α) F u_B Δt, as S5.57 has it, for
 * α < 1 with Jean's max(0, g_D): else a contact that q_D finds closed would be thrown off with |g_D|/Δt.
 * Elastic impacts as in the scheme of Stiegelmeier.
 */
typedef struct funk {
    double alpha, beta;
} funk;

static const ss_key funk_keys[] = {
    {"alpha", SS_KEY_REAL, offsetof(funk, alpha), "0.5", 0, 1, NULL, "",
     "Share α of the velocities at the end in the positions; > 0 when there are geometric laws."},
    {"beta", SS_KEY_REAL, offsetof(funk, beta), "0.5", 0, 1, NULL, "",
     "Share β of the end of the step in h; 0: explicit."},
    {NULL},
};

static ss_status funk_step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                           double dt, ss_state *E, ss_solve_report *report)
{
    const funk *o = self;
    double place = 1 - o->alpha;
    ss_discretization d = {.mass = place, .laws = place, .alpha = o->alpha, .beta = o->beta};
    d.linear = SS_LINEAR_TIME;
    d.form =
        (ss_law_form){.kind = SS_FORM_DISPLACEMENT, .clamp = o->alpha < 1, .clamp_elastic = true};
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, report);
    return elastic_step(&g);
}

const ss_scheme_ops ss_funk_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "funk",
             "Scheme of Funk: any α and β, forces linearized also in time, gaps in the laws.",
             sizeof(funk), funk_keys},
    .refuses = closes_in_two_steps,
    .scratch = ss_general_scratch,
    .step = funk_step,
    .can = {.order = 2,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true},
    .contacts = elastic_contacts,
};

/* ---- Foerg, Pfeiffer and Ulbrich: q_E = q_B + F u_E Δt, -(g_B + γ_E Δt) ∈ N(P), with M, h and W at the beginning of the
 * step (explicit) or at its end (implicit, by repeated solves). ---- */

/* Velocities below this have no digits left to compare. */
static const double DIED_OUT = 1e-290;

static ss_status explicit_init(void *self, ss_context *context)
{
    (void)context;
    *(ss_discretization *)self =
        (ss_discretization){.alpha = 1, .form = {.kind = SS_FORM_DISPLACEMENT}};
    return SS_OK;
}

const ss_scheme_ops ss_foerg_explicit_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "foerg_explicit",
             "Explicit scheme of Foerg, Pfeiffer and Ulbrich: gaps in the laws.",
             sizeof(ss_discretization), NULL},
    .init = explicit_init,
    .scratch = ss_general_scratch,
    .step = ss_general_step,
    .can = {.order = 1, .bilateral = true, .level = SS_ON_DISPLACEMENT, .expansion = true},
};

typedef struct implicit {
    int iterations;
    double tolerance;
} implicit;

static const ss_key implicit_keys[] = {
    {"iterations", SS_KEY_INT, offsetof(implicit, iterations), "100", 1, 100000, NULL, "",
     "Most solves of a step."},
    {"tolerance", SS_KEY_REAL, offsetof(implicit, tolerance), "1e-10", 1e-15, 1, NULL, "",
     "Change of the velocities, relative to the largest with or without impulses, at which a step "
     "is done."},
    {NULL},
};

static ss_status implicit_step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                               double dt, ss_state *E, ss_solve_report *report)
{
    const implicit *o = self;
    ss_discretization d = {.mass = 1, .laws = 1, .h = 1, .alpha = 1};
    ss_solve_report one;
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, &one);
    double *u = g.behind;
    size_t bytes = (size_t)g.size.n_u * sizeof *u;
    d.form = (ss_law_form){.kind = SS_FORM_DISPLACEMENT, .distance = g.gap};
    SS_TRY(ss_general_go(&g, 0, false));
    SS_TRY(ss_work_distances(work, g.gap));
    memcpy(u, g.u_B, bytes);
    g.u_place = u;
    *report = (ss_solve_report){.outcome = SS_CONVERGED, .residual.worst_block = -1};
    bool done = false;
    for (int k = 0; k < o->iterations && !done; k++) {
        SS_TRY(ss_general_evaluate(&g));
        SS_TRY(ss_general_solve(&g));
        ss_general_join_report(&one, report, NULL);
        if (!ss_all_finite(g.size.n_u, g.u_E))
            break;
        double change = 0, size = 0; /* what rests has but the error of the solve: u_free counts */
        for (int i = 0; i < g.size.n_u; i++) {
            change = fmax(change, fabs(g.u_E[i] - u[i]));
            size = fmax(size, fmax(fabs(g.u_E[i]), fabs(g.u_free[i])));
        }
        done = change <= o->tolerance * size || change < DIED_OUT;
        memcpy(u, g.u_E, bytes);
    }
    if (!done && ss_outcome_accepted(report->outcome))
        report->outcome = SS_MAX_ITERATIONS;
    g.report = report;
    return ss_general_finish(&g);
}

const ss_scheme_ops ss_foerg_implicit_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "foerg_implicit",
             "Implicit scheme of Foerg, Pfeiffer and Ulbrich: masses, forces and laws of the end.",
             sizeof(implicit), implicit_keys},
    .scratch = scratch_size,
    .step = implicit_step,
    .can = {.order = 1,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED},
};
