/* Options by key and by struct, the registry, and a solver of one's own. */
#include "options/options.h"
#include "solver/prox.h"
#include "solver/solve.h"

static void bind_defaults(ss_context *context, const ss_type *type, ss_prox_options *options)
{
    ss_prox_solver self = {0};
    ss_arena arena;
    ss_arena_init(&arena, context);
    expect_ok(context, ss_options_bind(&arena, type, NULL, NULL, "test", &self));
    *options = self.options;
    ss_arena_release(&arena);
}

static void keys_and_struct_have_the_same_defaults(void **state)
{
    ss_context *context = *state;
    const ss_solver_ops *types[] = {&ss_solver_type_sorprox, &ss_solver_type_jorprox};
    for (int k = 0; k < 2; k++) {
        ss_prox_options keys, d = ss_default_prox();
        bind_defaults(context, &types[k]->type, &keys);
        assert_true(keys.tolerance == d.tolerance && keys.relaxation == d.relaxation);
        assert_true(keys.r_scale == d.r_scale && keys.absolute == d.absolute);
        assert_true(keys.relative == d.relative && keys.warm_start == d.warm_start);
        assert_int_equal(keys.max_iterations, d.max_iterations);
        assert_int_equal(keys.min_iterations, d.min_iterations);
        assert_int_equal(keys.r, d.r);
        assert_int_equal(keys.stop, d.stop);
        assert_int_equal(keys.order, d.order);
    }
}

static void expect_refused(ss_context *context, const char *name, const ss_prox_options *options,
                           const char *part)
{
    ss_solver *solver;
    assert_int_equal(ss_solver_create_prox(context, name, options, &solver), SS_INPUT);
    assert_null(solver);
    if (!strstr(ss_context_message(context), part))
        fail_msg("'%s' lacks '%s'", ss_context_message(context), part);
}

static void options_out_of_range(void **state)
{
    ss_context *context = *state;
#define BAD(name, field, value, part)                               \
    do {                                                            \
        ss_prox_options options = ss_default_prox();                \
        options.field = value;                                      \
        expect_refused(context, name, &options, part);              \
        assert_non_null(strstr(ss_context_message(context), name)); \
    } while (0)
    BAD("sorprox", tolerance, 0, "'tolerance'");
    BAD("sorprox", tolerance, 1.5, "'tolerance'");
    BAD("sorprox", tolerance, NAN, "'tolerance'");
    BAD("sorprox", max_iterations, 0, "'max_iterations'");
    BAD("sorprox", min_iterations, -1, "'min_iterations'");
    BAD("sorprox", min_iterations, 20000, "must not exceed max_iterations = 10000");
    BAD("jorprox", min_iterations, 20000, "must not exceed max_iterations = 10000");
    BAD("sorprox", relaxation, 0, "'relaxation'");
    BAD("sorprox", relaxation, 2, "> 0 and < 2");
    BAD("sorprox", relaxation, 2.5, "'relaxation'");
    BAD("jorprox", relaxation, 10.5, "'relaxation'");
    BAD("sorprox", r_scale, 1.1, "'r_scale'");
    BAD("sorprox", r, 4, "'r' must be one of");
    BAD("sorprox", r, (ss_r_choice)-1, "'r' must be one of");
    BAD("sorprox", stop, 3, "'stop' must be one of");
    BAD("sorprox", order, 3, "'order' must be one of");
    BAD("sorprox", absolute, -1, "'absolute'");
    BAD("sorprox", relative, 2, "'relative'");
#undef BAD
    ss_prox_options options = ss_default_prox();
    ss_solver *solver;
    options.relaxation = 5;
    expect_ok(context, ss_solver_create_prox(context, "jorprox", &options, &solver));
    assert_string_equal(ss_solver_name(solver), "jorprox");
    ss_solver_destroy(solver);
}

static void arguments_by_name(void **state)
{
    ss_context *context = *state;
    ss_args *args;
    ss_solver *solver;
    expect_ok(context, ss_args_create(context, &args));
    expect_ok(context, ss_args_set_text(args, "r", "row_sum"));
    expect_ok(context, ss_args_set_text(args, "warm_start", "false"));
    expect_ok(context, ss_args_set_text(args, "relaxation", "3 / 2"));
    expect_ok(context, ss_solver_create(context, "sorprox", args, NULL, &solver));
    ss_solver_destroy(solver);
    expect_ok(context, ss_args_set_real(args, "omega", 1));
    assert_int_equal(ss_solver_create(context, "sorprox", args, NULL, &solver), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "unknown key 'omega'"));
    ss_args_destroy(args);
    assert_int_equal(ss_solver_create(context, "sorproxx", NULL, NULL, &solver), SS_UNKNOWN_NAME);
    assert_non_null(strstr(ss_context_message(context), "did you mean 'sorprox'"));
}

/* A solver of one's own: P = 0 always. */
typedef struct lazy {
    double factor;
    ss_solver_size size;
    int *destroyed;
} lazy;

static int lazy_destroyed; /* the only way to see it from outside */

static ss_status lazy_init(void *self, ss_context *context)
{
    lazy *s = self;
    s->destroyed = &lazy_destroyed;
    return s->factor > 0 ? SS_OK : ss_fail(context, SS_INPUT, "lazy: factor must be positive");
}

static void lazy_destroy(void *self, ss_context *context)
{
    (void)context;
    (*((lazy *)self)->destroyed)++;
}

static const char *lazy_refuses(const void *self, const ss_inclusion *inclusion)
{
    (void)self;
    return inclusion->factor_start ? NULL : "it is too lazy for assembled inclusions";
}

static ss_status lazy_reserve(void *self, ss_context *context, const ss_solver_size *size)
{
    (void)context;
    ((lazy *)self)->size = *size;
    return SS_OK;
}

static ss_status lazy_solve(void *self, ss_context *context, const ss_solve_call *call)
{
    (void)context;
    const ss_inclusion *inclusion = call->inclusion;
    assert_true(((lazy *)self)->size.n_rows >= inclusion->n_rows);
    memset(call->P, 0, (size_t)inclusion->n_rows * sizeof *call->P);
    ss_inclusion_free_motion(inclusion, call->P, call->u);
    if (call->trace)
        call->trace(call->trace_user, 0, call->P);
    *call->report =
        (ss_solve_report){SS_MAX_ITERATIONS, 0, ss_inclusion_residual(inclusion, call->P, call->u)};
    return SS_OK;
}

static const ss_key lazy_keys[] = {
    {.name = "factor",
     .kind = SS_KEY_REAL,
     .offset = offsetof(lazy, factor),
     .default_value = "1",
     .unit = "",
     .doc = "A number."},
    {.name = NULL},
};

static ss_solver_ops lazy_ops(void)
{
    return (ss_solver_ops){
        .type = {.abi = SS_ABI,
                 .size = sizeof(ss_solver_ops),
                 .name = "lazy",
                 .doc = "Does nothing.",
                 .self_size = sizeof(lazy),
                 .keys = lazy_keys},
        .init = lazy_init,
        .destroy = lazy_destroy,
        .refuses = lazy_refuses,
        .reserve = lazy_reserve,
        .solve = lazy_solve,
    };
}

static void a_solver_of_ones_own(void **state)
{
    ss_context *context = *state;
    ss_solver_ops ops = lazy_ops();
    ss_solver *solver;
    ss_solve_report report;
    ops.solve = NULL;
    assert_int_equal(ss_register_solver(context, &ops), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "'lazy': the function 'solve' is missing"));
    ops.solve = lazy_solve;
    expect_ok(context, ss_register_solver(context, &ops));
    lazy_destroyed = 0;
    ss_args *args;
    expect_ok(context, ss_args_create(context, &args));
    expect_ok(context, ss_args_set_real(args, "factor", -1));
    assert_int_equal(ss_solver_create(context, "lazy", args, NULL, &solver), SS_INPUT);
    assert_int_equal(lazy_destroyed, 1);
    ss_args_destroy(args);
    ss_prox_options options = ss_default_prox();
    assert_int_equal(ss_solver_create_prox(context, "lazy", &options, &solver), SS_INPUT);

    build *p = build_create();
    build_add_system(p, 1, (double[]){1});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){1});
    p->u_free[0] = -2;
    solve_trace *trace = calloc(1, sizeof *trace);
    assert_non_null(trace);
    trace->n_rows = 1;
    double P[1] = {7}, u[1];
    expect_ok(context, ss_solver_create(context, "lazy", NULL, NULL, &solver));
    ss_solver_set_trace(solver, solve_record, trace);
    expect_ok(context, ss_solver_solve(solver, &p->inclusion, P, u, &report));
    assert_int_equal(report.outcome, SS_MAX_ITERATIONS);
    assert_true(P[0] == 0 && u[0] == -2 && report.residual.value == 1);
    assert_int_equal(trace->count, 1);
    ss_solver_set_trace(solver, NULL, NULL);
    expect_ok(context, ss_solver_solve(solver, &p->inclusion, P, u, &report));
    assert_int_equal(trace->count, 1);
    ss_inclusion *A;
    expect_ok(context, ss_inclusion_assemble(context, &p->inclusion, &A));
    assert_int_equal(ss_solver_solve(solver, A, P, NULL, &report), SS_UNSUPPORTED);
    assert_string_equal(ss_context_message(context),
                        "solver 'lazy': it is too lazy for assembled inclusions");
    ss_inclusion_destroy(A);
    ss_solver_destroy(solver);
    assert_int_equal(lazy_destroyed, 2);
    free(p);
    free(trace);
}

static void outcomes_have_names(void **state)
{
    (void)state;
    assert_string_equal(ss_outcome_name(SS_CONVERGED), "converged");
    assert_string_equal(ss_outcome_name(SS_SETTLED), "settled");
    assert_string_equal(ss_outcome_name(SS_MAX_ITERATIONS), "iterations used up");
    assert_string_equal(ss_outcome_name(SS_DIVERGED), "diverged");
    assert_true(ss_outcome_accepted(SS_CONVERGED) && ss_outcome_accepted(SS_SETTLED));
    assert_false(ss_outcome_accepted(SS_MAX_ITERATIONS) || ss_outcome_accepted(SS_DIVERGED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_and_struct_have_the_same_defaults),
        cmocka_unit_test(options_out_of_range),
        cmocka_unit_test(arguments_by_name),
        cmocka_unit_test(a_solver_of_ones_own),
        cmocka_unit_test(outcomes_have_names),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
