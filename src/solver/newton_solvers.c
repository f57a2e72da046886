/* newton_solvers.c: Newton's method on the equations of Alart and Curnier, and of Fischer and
 * Burmeister, as solvers. Where no step makes the equations' norm smaller, as happens with singular
 * G, the same method goes on inside proximal points. */
#include "solver/newton.h"

#include <float.h>

typedef struct newton_solver {
    ss_newton newton;
    bool proximal;
    ss_run_memory memory;
} newton_solver;

static ss_status iterate(newton_solver *solver, const ss_newton_form *form, ss_run *run)
{
    ss_newton *s = &solver->newton;
    SS_TRY(ss_newton_prepare(s, form, run));
    ss_newton_iterate(s, run, s->options.max_iterations, 0.0);
    return solver->proximal ? ss_newton_continue(s, run, s->options.max_iterations) : SS_OK;
}

static ss_status iterate_ac(void *self, ss_run *run)
{
    return iterate(self, &ss_newton_alart_curnier, run);
}

static ss_status iterate_fb(void *self, ss_run *run)
{
    return iterate(self, &ss_newton_fischer_burmeister, run);
}

static ss_status solve_ac(void *self, ss_context *context, const ss_inclusion *inclusion,
                          ss_trace_fn trace, void *trace_user, double *P, double *u,
                          ss_solve_report *report)
{
    newton_solver *s = self;
    return ss_run_solve(&s->memory, context, inclusion, &s->newton.options, iterate_ac, s, trace,
                        trace_user, P, u, report);
}

static ss_status solve_fb(void *self, ss_context *context, const ss_inclusion *inclusion,
                          ss_trace_fn trace, void *trace_user, double *P, double *u,
                          ss_solve_report *report)
{
    newton_solver *s = self;
    return ss_run_solve(&s->memory, context, inclusion, &s->newton.options, iterate_fb, s, trace,
                        trace_user, P, u, report);
}

static const char *refuses_ac(const void *self, const ss_inclusion *inclusion)
{
    const char *reason = ss_run_refuses(self, inclusion);
    return reason ? reason : ss_newton_refuses(&ss_newton_alart_curnier, inclusion);
}

static const char *refuses_fb(const void *self, const ss_inclusion *inclusion)
{
    const char *reason = ss_run_refuses(self, inclusion);
    return reason ? reason : ss_newton_refuses(&ss_newton_fischer_burmeister, inclusion);
}

static void destroy(void *self, ss_context *context)
{
    (void)context;
    newton_solver *s = self;
    ss_newton_release(&s->newton);
    ss_run_release(&s->memory);
}

static const ss_key keys[] = {
    SS_RUN_KEYS("2000"),
    {.name = "line_search",
     .kind = SS_KEY_BOOL,
     .offset = offsetof(ss_newton, line_search),
     .default_value = "true",
     .doc = "Shorten steps until the equations' norm falls; else every step is taken whole."},
    {.name = "regularization",
     .kind = SS_KEY_REAL,
     .offset = offsetof(ss_newton, regularization),
     .default_value = "1e-4",
     .min = 0,
     .max = 1,
     .doc = "Most compliance that is added to G in the linear systems, in parts of its diagonal; "
            "it vanishes with the residual."},
    {.name = "proximal",
     .kind = SS_KEY_BOOL,
     .offset = offsetof(newton_solver, proximal),
     .default_value = "true",
     .doc = "Goes on with proximal points where Newton's own steps end; else it gives up there."},
    {.name = NULL},
};

const ss_solver_ops ss_solver_type_alart_curnier = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_solver_ops),
             .name = "alart_curnier",
             .doc = "Semismooth Newton method on the projected equations of Alart and Curnier.",
             .self_size = sizeof(newton_solver),
             .keys = keys},
    .destroy = destroy,
    .refuses = refuses_ac,
    .solve = solve_ac,
};

const ss_solver_ops ss_solver_type_fischer_burmeister = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_solver_ops),
             .name = "fischer_burmeister",
             .doc = "Semismooth Newton method on Fischer and Burmeister's equation in the cone.",
             .self_size = sizeof(newton_solver),
             .keys = keys},
    .destroy = destroy,
    .refuses = refuses_fb,
    .solve = solve_fb,
};
