/* foerg.c: the schemes of Foerg, Pfeiffer and Ulbrich (S5.3.5): q_E = q_B + F u_E Δt, -(g_B + γ_E
 * Δt) ∈ N(P), with M, h and W at the beginning of the step (explicit) or at its end (implicit, by
 * repeated solves). */
#include "assembly/work.h"
#include "la/small.h"
#include "scheme/builtin.h"
#include "scheme/general.h"

#include <string.h>

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

static const ss_key keys[] = {
    {"iterations", SS_KEY_INT, offsetof(implicit, iterations), "100", 1, 100000, NULL, "",
     "Most solves of a step."},
    {"tolerance", SS_KEY_REAL, offsetof(implicit, tolerance), "1e-10", 1e-15, 1, NULL, "",
     "Change of the velocities, relative to the largest with or without impulses, at which a step "
     "is done."},
    {NULL},
};

/* Doubles of ss_general and the velocities before a solve. */
static size_t implicit_scratch(const void *self, const ss_model *model, const ss_model_size *size)
{
    return ss_general_scratch(self, model, size) + (size_t)size->n_u;
}

/* What rests has velocities that are but the error of the solve: free velocities count, too. */
static bool rests(const ss_general *g, const double *before, double tolerance)
{
    double change = 0, size = 0;
    for (int i = 0; i < g->size.n_u; i++) {
        change = fmax(change, fabs(g->u_E[i] - before[i]));
        size = fmax(size, fmax(fabs(g->u_E[i]), fabs(g->u_free[i])));
    }
    return change <= tolerance * size || change < DIED_OUT;
}

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
        done = rests(&g, u, o->tolerance);
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
             sizeof(implicit), keys},
    .scratch = implicit_scratch,
    .step = implicit_step,
    .can = {.order = 1,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED},
};
