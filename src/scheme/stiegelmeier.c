/* stiegelmeier.c: the scheme of Stiegelmeier (S5.3.5): everything where the step begins, q_E = q_B
 * + F u_E Δt, -(g_B + γ_E Δt) ∈ N(P). A step in which a law with restitution closes is repeated
 * with Moreau's law, S5.52. Such laws do not push out of a penetration, which would be an impact of
 * its own.
 *
 * Heun's variant has order two and knows no impacts: the step above leads to (q', u'), and
 *
 *     M (u_E - u_B) = (h(q_B, u_B, t_B) + h(q', u', t_E))/2 Δt + W P,   q_E = q_B + F (u_B + u_E)/2 Δt
 *
 * with M and W in the middle, and the gap where S5.39 has it for this position update.
 */
#include "model/model.h"
#include "scheme/builtin.h"
#include "scheme/general.h"

typedef struct stiegelmeier {
    bool heun;
} stiegelmeier;

static const ss_key keys[] = {
    {"heun", SS_KEY_BOOL, offsetof(stiegelmeier, heun), "false", 0, 0, NULL, "",
     "Heun's variant, of order two; only for models in which no law can open and close."},
    {NULL},
};

static const char *refuses(const void *self, const ss_model *model)
{
    const stiegelmeier *o = self;
    for (int l = 0; o->heun && l < model->n_laws.count; l++)
        if (model->laws[l].kind == SS_GEOMETRIC && ss_law_opens(&model->laws[l]))
            return "its variant of Heun does not treat impacts, and a law of the model can open "
                   "and close; 'heun: false' does";
    return NULL;
}

static size_t scratch_size(const void *self, const ss_model *model, const ss_model_size *size)
{
    return ss_general_scratch(self, model, size) + (size_t)size->n_u;
}

static ss_status euler_step(ss_general *g)
{
    SS_TRY(ss_general_solve_elastic(g));
    return ss_general_finish(g);
}

/* (h_B + h')/2, with h' at the end of the Euler step in E. */
static ss_status mean_forces(ss_general *g, double *mean)
{
    SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B, g->q_B));
    SS_TRY(ss_work_forces(g->work, g->u_B, mean));
    SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B + g->dt, g->q_E));
    SS_TRY(ss_work_forces(g->work, g->u_E, g->h));
    for (int i = 0; i < g->size.n_u; i++)
        mean[i] = (mean[i] + g->h[i]) / 2;
    return SS_OK;
}

static ss_status heun_step(ss_general *g, double *mean)
{
    const ss_discretization middle = {
        .mass = 0.5, .laws = 0.5, .alpha = 0.5, .form = {.kind = SS_FORM_DISPLACEMENT}};
    ss_solve_report first, second, *total = g->report;
    g->report = &first;
    SS_TRY(euler_step(g));
    SS_TRY(mean_forces(g, mean));
    g->d = &middle;
    g->given_h = mean;
    g->report = &second;
    SS_TRY(ss_general_evaluate(g));
    SS_TRY(ss_general_solve(g));
    *total = first;
    ss_general_join_report(&second, total);
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
    return o->heun ? heun_step(&g, scratch + ss_general_scratch_of(work)) : euler_step(&g);
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
    .contacts = ss_general_elastic_contacts,
};
