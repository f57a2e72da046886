/* solver.c: a solver by name, its memory, and the call into its type. */
#include "base/context.h"
#include "options/options.h"
#include "rows/islands.h"
#include "solver/choice.h"
#include "solver/even.h"
#include "solver/kernels/sweep.h"
#include "solver/run.h"

#include <stdio.h>
#include <string.h>

struct ss_solver {
    ss_context *context;
    const ss_solver_ops *ops;
    const ss_rows_solver *rows; /* NULL: with its options it gets all rows as GENERAL blocks */
    void *self;
    bool begun; /* init has been called, or there is none */
    ss_solver_size reserved;
    ss_trace_fn trace;
    void *trace_user;
    ss_solver_common common;
    ss_choice choice;
    ss_even even;
    ss_solver *near; /* of `polish`; NULL: not needed yet */
    ss_substitute substitute;
    ss_islands islands;
    ss_arena arena;
};

const char *ss_outcome_name(ss_outcome outcome)
{
    switch (outcome) {
#define X(code, words) \
    case code:         \
        return words;
        SS_OUTCOME_LIST(X)
#undef X
    }
    return "unknown outcome";
}

bool ss_outcome_accepted(ss_outcome outcome)
{
    return outcome == SS_CONVERGED || outcome == SS_SETTLED;
}

static ss_status check(ss_context *context, const void *opaque)
{
    const ss_solver_ops *ops = opaque;
    SS_REQUIRE(context, SS_TYPE_SOLVER, ops, solve);
    return SS_OK;
}

ss_status ss_register_solver(ss_context *context, const ss_solver_ops *ops)
{
    return ss_register_type(context, SS_TYPE_SOLVER, ops ? &ops->type : NULL, sizeof *ops, check);
}

static ss_status build(ss_solver *solver, const ss_args *args, const ss_scope *scope)
{
    const ss_type *type = &solver->ops->type;
    char owner[128];
    snprintf(owner, sizeof owner, "solver '%s'", type->name);
    SS_TRY(ss_arena_allocate(&solver->arena, 1, type->self_size, &solver->self));
    ss_type_start(type, solver->self);
    ss_option_table tables[] = {{type->keys, solver->self},
                                {ss_solver_common_keys, &solver->common}};
    SS_TRY(ss_options_bind_tables(&solver->arena, 2, tables, args, scope, owner));
    solver->begun = true;
    if (solver->ops->init)
        SS_TRY(solver->ops->init(solver->self, solver->context));
    solver->rows = ss_type_extension(solver->context, SS_TYPE_SOLVER, type);
    if (solver->rows && !solver->rows->accepts(solver->self))
        solver->rows = NULL;
    return SS_OK;
}

ss_status ss_solver_create(ss_context *context, const char *name, const ss_args *args,
                           const ss_scope *scope, ss_solver **solver)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, name);
    SS_GIVEN(context, solver);
    *solver = NULL;
    const ss_type *type;
    SS_TRY(ss_type_find(context, SS_TYPE_SOLVER, name, ss_args_location(args, NULL), &type));
    ss_solver *made;
    SS_TRY(SS_NEW(context, 1, &made));
    made->context = context;
    made->ops = (const ss_solver_ops *)type;
    ss_arena_init(&made->arena, context);
    ss_status status = build(made, args, scope);
    if (status != SS_OK) {
        ss_solver_destroy(made);
        return status;
    }
    *solver = made;
    return SS_OK;
}

void ss_solver_destroy(ss_solver *solver)
{
    if (!solver)
        return;
    if (solver->begun && solver->ops->destroy)
        solver->ops->destroy(solver->self, solver->context);
    ss_substitute_release(&solver->substitute);
    ss_choice_release(&solver->choice);
    ss_even_release(&solver->even);
    ss_solver_destroy(solver->near);
    ss_islands_release(&solver->islands);
    ss_arena_release(&solver->arena);
    ss_release(solver->context, solver);
}

const char *ss_solver_name(const ss_solver *solver)
{
    return solver->ops->type.name;
}

void ss_solver_set_trace(ss_solver *solver, ss_trace_fn trace, void *user)
{
    solver->trace = trace;
    solver->trace_user = user;
}

/* What is needed, and half as much again as there was where it grows: contacts come in small
 * numbers. */
static int grown(int capacity, int need)
{
    if (need <= capacity)
        return capacity;
    int more = capacity < 1000000000 ? capacity + capacity / 2 : capacity;
    return need > more ? need : more;
}

ss_status ss_solver_reserve(ss_solver *solver, const ss_solver_size *size)
{
    SS_GIVEN(NULL, solver);
    SS_GIVEN(solver->context, size);
    const ss_solver_size *has = &solver->reserved;
    if (size->n_blocks <= has->n_blocks && size->n_rows <= has->n_rows && size->n_u <= has->n_u &&
        size->n_factors <= has->n_factors)
        return SS_OK;
    ss_solver_size capacity = {
        .n_blocks = grown(has->n_blocks, size->n_blocks),
        .n_rows = grown(has->n_rows, size->n_rows),
        .n_u = grown(has->n_u, size->n_u),
        .n_factors = grown(has->n_factors, size->n_factors),
    };
    solver->reserved = (ss_solver_size){0};
    if (solver->ops->reserve)
        SS_TRY(solver->ops->reserve(solver->self, solver->context, &capacity));
    SS_TRY(ss_islands_reserve(&solver->islands, solver->context, capacity.n_blocks, capacity.n_rows,
                              capacity.n_u, capacity.n_factors));
    if (solver->common.forces == SS_FORCES_EVEN)
        SS_TRY(ss_even_reserve(&solver->even, solver->context, capacity.n_blocks, capacity.n_rows,
                               capacity.n_u));
    solver->reserved = capacity;
    return SS_OK;
}

double ss_solver_tolerance(const ss_solver *solver)
{
    const double usual = 1e-10;
    return solver->ops->tolerance ? solver->ops->tolerance(solver->self) : usual;
}

const ss_solver_common *ss_solver_settings(const ss_solver *solver)
{
    return &solver->common;
}

static ss_status check_inclusion(ss_solver *solver, const ss_inclusion *inclusion)
{
    const char *reason =
        solver->ops->refuses ? solver->ops->refuses(solver->self, inclusion) : NULL;
    if (reason)
        return ss_fail(solver->context, SS_UNSUPPORTED, "solver '%s': %s", solver->ops->type.name,
                       reason);
    return SS_OK;
}

ss_status ss_solver_check(ss_solver *solver, const ss_inclusion *inclusion)
{
    SS_GIVEN(NULL, solver);
    SS_GIVEN(solver->context, inclusion);
    if (solver->common.forces != SS_FORCES_CONE_COMPLEMENTARITY)
        return check_inclusion(solver, inclusion);
    SS_TRY(ss_substitute_cones(&solver->substitute, solver->context, inclusion));
    return check_inclusion(solver, &solver->substitute.inclusion);
}

static ss_status reserve_for(ss_solver *solver, const ss_inclusion *A)
{
    ss_solver_size size = {.n_blocks = A->n_blocks, .n_rows = A->n_rows};
    if (A->factor_start) {
        size.n_u = A->n_u;
        size.n_factors = A->factor_start[A->n_blocks];
    }
    return ss_solver_reserve(solver, &size);
}

/* The type's own solve, of whatever inclusion. */
static ss_status run(ss_solver *solver, const ss_solve_call *call)
{
    SS_TRY(check_inclusion(solver, call->inclusion));
    SS_TRY(reserve_for(solver, call->inclusion));
    SS_TRY(solver->ops->solve(solver->self, solver->context, call));
    /* also when what it had by then was good enough: without the stop it would have gone further */
    return ss_stopped(solver->context) ? ss_fail_stopped(solver->context) : SS_OK;
}

/* Solves another inclusion in place of the given one. */
static ss_status run_substitute(ss_solver *solver, const ss_solve_call *given)
{
    ss_substitute *t = &solver->substitute;
    const ss_inclusion *A = given->inclusion;
    bool springs = solver->common.forces == SS_FORCES_REGULARIZED;
    if (springs)
        SS_TRY(ss_substitute_regularized(t, solver->context, A, solver->common.compliance));
    else
        SS_TRY(ss_substitute_cones(t, solver->context, A));
    ss_solve_call call = *given;
    call.inclusion = &t->inclusion;
    call.P = t->P;
    call.u = t->u;
    for (int k = 0; k < A->n_rows; k++)
        t->P[k] = given->P[t->row[k]];
    SS_TRY(run(solver, &call));
    given->report->chosen = !springs || ss_substitute_shows(t, A, solver->common.compliance);
    for (int k = 0; k < A->n_rows; k++)
        given->P[t->row[k]] = t->P[k];
    if (A->factor_start && A->n_u > 0)
        memcpy(given->u, t->u, (size_t)A->n_u * sizeof *t->u);
    return SS_OK;
}

/* Solves an island again from impulses that carry an even load, with a solver that stays near where it begins. */
static ss_status polish(ss_solver *solver, const ss_solve_call *call)
{
    if (!solver->near) {
        ss_args *args;
        SS_TRY(ss_args_create(solver->context, &args));
        ss_status status = ss_args_set_real(args, "tolerance", ss_solver_tolerance(solver));
        if (status == SS_OK)
            status = ss_args_set_text(args, "forces", "any");
        if (status == SS_OK)
            status = ss_solver_create(solver->context, "auto", args, NULL, &solver->near);
        ss_args_destroy(args);
        SS_TRY(status);
    }
    ss_solve_call once = *call;
    once.trace = NULL;
    return run(solver->near, &once);
}

/* Friction that slides turns with the load: choice and solution take turns until the load stays. */
static ss_status select_even(ss_solver *solver, const ss_solve_call *call)
{
    enum { MOST = 8 };
    const double stays = 1e-4;
    ss_even *even = &solver->even;
    ss_solve_report *report = call->report;
    bool again = true;
    report->chosen = true;
    for (int i = 0; i < MOST && ss_solver_chooses(solver); i++) {
        const ss_solve_report solved = *report;
        ss_solve_report next = {.residual = {.worst_block = -1}};
        SS_TRY(ss_even_keep(even, solver->context, call));
        SS_TRY(ss_even_select(even, solver->context, call, ss_solver_tolerance(solver), &again));
        if (!again)
            return SS_OK;
        ss_solve_call from = *call;
        from.report = &next;
        SS_TRY(polish(solver, &from));
        if (!ss_outcome_accepted(next.outcome)) {
            ss_even_restore(even, call);
            *report = solved;
            report->chosen = false;
            return SS_OK;
        }
        report->residual = next.residual;
        report->iterations += next.iterations;
        if (ss_even_change(even, call) <= stays)
            return SS_OK;
    }
    report->chosen = !ss_solver_chooses(solver);
    return SS_OK;
}

/* One island, and the impulses that `forces` asks for. */
static ss_status solve_island(ss_solver *solver, const ss_solve_call *call)
{
    ss_forces forces = solver->common.forces;
    ss_solve_report *report = call->report;
    bool substitute = forces == SS_FORCES_REGULARIZED || forces == SS_FORCES_CONE_COMPLEMENTARITY;
    *report = (ss_solve_report){.outcome = SS_DIVERGED, .residual = {.worst_block = -1}};
    SS_TRY(substitute ? run_substitute(solver, call) : run(solver, call));
    report->forces = forces;
    report->freedom = -1;
    if (!substitute)
        report->chosen = forces == SS_FORCES_ANY; /* a solver within a solver has chosen nothing */
    if (substitute || report->chosen || !ss_outcome_accepted(report->outcome))
        return SS_OK;
    if (forces == SS_FORCES_EVEN)
        return select_even(solver, call);
    return ss_choice_select(&solver->choice, solver->context, call, forces,
                            ss_solver_tolerance(solver));
}

/* The choice alone, of an island that is solved; its report holds the residual. */
static ss_status choose_island(ss_solver *solver, const ss_solve_call *call)
{
    ss_solve_report *report = call->report;
    report->forces = SS_FORCES_EVEN;
    if (call->inclusion->factor_start)
        ss_inclusion_free_motion(call->inclusion, call->P, call->u);
    return select_even(solver, call);
}

/* What islands tell together: the worst of all, and the method of the one that took most. */
static void join_reports(const ss_solve_report *one, ss_solve_report *all)
{
    if (one->outcome > all->outcome)
        all->outcome = one->outcome;
    if (one->iterations >= all->iterations)
        memcpy(all->method, one->method, sizeof all->method);
    all->iterations = one->iterations > all->iterations ? one->iterations : all->iterations;
    if (!(one->residual.value <= all->residual.value) || all->residual.worst_block < 0)
        all->residual = one->residual;
    all->forces = one->forces;
    all->freedom = one->freedom < 0 || all->freedom < 0 ? -1 : all->freedom + one->freedom;
    all->chosen = all->chosen && one->chosen;
}

/* Shows the iterates of an island among the impulses of all. */
typedef struct island_trace {
    ss_islands *islands;
    const ss_solve_call *call;
    int island, before, last; /* iterations of the islands before, and the last one */
} island_trace;

static void trace_island(void *user, int iteration, const double *P)
{
    island_trace *t = user;
    ss_islands_show(t->islands, t->call->inclusion, t->island, P, t->call->P);
    t->last = t->before + iteration;
    t->call->trace(t->call->trace_user, t->last, t->call->P);
}

typedef ss_status island_fn(ss_solver *solver, const ss_solve_call *call);

static ss_status visit_islands(ss_solver *solver, const ss_solve_call *call, island_fn *visit)
{
    const ss_inclusion *A = call->inclusion;
    ss_islands *islands = &solver->islands;
    const ss_solve_report given = *call->report;
    ss_solve_report one;
    island_trace trace = {.islands = islands, .call = call};
    *call->report = (ss_solve_report){.residual = {.worst_block = -1}, .chosen = true};
    if (A->factor_start && A->n_u > 0)
        memcpy(call->u, A->u_free, (size_t)A->n_u * sizeof *call->u);
    for (int k = 0; k < islands->count; k++) {
        one = given;
        ss_islands_take(islands, A, k, call->P);
        ss_solve_call part = {&islands->part, islands->P, islands->u, &one, NULL, &trace};
        part.trace = call->trace ? trace_island : NULL;
        trace.island = k;
        trace.before = k > 0 ? trace.last + 1 : 0;
        ss_status status = visit(solver, &part);
        ss_islands_give(islands, A, k, call->P, call->u);
        SS_TRY(status);
        if (one.residual.worst_block >= 0)
            one.residual.worst_block =
                islands->blocks[islands->start[k] + one.residual.worst_block];
        join_reports(&one, call->report);
    }
    return SS_OK;
}

static ss_status visit_all(ss_solver *solver, const ss_inclusion *inclusion, double *P, double *u,
                           ss_solve_report *report, island_fn *visit)
{
    ss_solve_call call = {inclusion, P, u, report, solver->trace, solver->trace_user};
    bool whole = inclusion->n_blocks < 2 || inclusion->refresh;
    if (!whole) {
        SS_TRY(reserve_for(solver, inclusion));
        SS_TRY(ss_islands_find(&solver->islands, solver->context, inclusion));
    }
    return whole || solver->islands.count < 2 ? visit(solver, &call)
                                              : visit_islands(solver, &call, visit);
}

ss_status ss_solver_solve(ss_solver *solver, const ss_inclusion *inclusion, double *P, double *u,
                          ss_solve_report *report)
{
    SS_GIVEN(NULL, solver);
    SS_GIVEN(solver->context, inclusion);
    SS_GIVEN(solver->context, report);
    return visit_all(solver, inclusion, P, u, report, solve_island);
}

ss_status ss_solver_choose(ss_solver *solver, const ss_inclusion *inclusion, double *P, double *u,
                           ss_solve_report *report)
{
    ss_solve_report chosen = *report;
    SS_TRY(visit_all(solver, inclusion, P, u, &chosen, choose_island));
    report->freedom = chosen.freedom;
    report->chosen = chosen.chosen;
    report->residual = chosen.residual;
    return SS_OK;
}

bool ss_solver_sweeps(const ss_solver *solver)
{
    ss_forces forces = solver->common.forces;
    return solver->rows && !solver->trace && (forces == SS_FORCES_ANY || forces == SS_FORCES_EVEN);
}

bool ss_solver_chooses(const ss_solver *solver)
{
    const double coarse = 1e-8;
    return solver->common.forces == SS_FORCES_EVEN && ss_solver_tolerance(solver) <= coarse;
}

bool ss_solver_goes_on(const ss_solver *solver)
{
    return solver->rows && solver->rows->goes_on;
}

ss_status ss_solver_sweep_rows(ss_solver *solver, ss_rows *rows, ss_solve_report *report)
{
    const ss_inclusion *general = &rows->general.inclusion;
    ss_solver_size size = {.n_blocks = general->n_blocks, .n_rows = general->n_rows};
    SS_TRY(ss_solver_reserve(solver, &size));
    SS_TRY(solver->rows->solve(solver->self, solver->context, rows, report));
    report->forces = solver->common.forces;
    report->freedom = -1;
    report->chosen = true;
    return SS_OK;
}

ss_status ss_register_builtin_solvers(ss_context *context)
{
    static const ss_method *const methods[] = {
        &ss_method_auto,
        &ss_method_exact,
        &ss_method_interior,
        &ss_method_alart_curnier,
        &ss_method_fischer_burmeister,
        &ss_method_proximal,
        &ss_method_woesle_pfeiffer,
        &ss_method_admm,
        &ss_method_nesterov,
        &ss_method_uzawa,
        &ss_method_lemke,
        &ss_method_funk,
        &ss_method_enumeration,
        &ss_method_gamma,
    };
    SS_TRY(ss_register_solver(context, &ss_solver_type_sorprox));
    SS_TRY(ss_register_solver(context, &ss_solver_type_jorprox));
    ss_type_extend(context, SS_TYPE_SOLVER, "sorprox", &ss_sorprox_rows);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        SS_TRY(ss_method_register(context, methods[k]));
    ss_type_extend(context, SS_TYPE_SOLVER, "auto", &ss_auto_rows);
    return SS_OK;
}
