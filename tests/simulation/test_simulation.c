/* test_simulation.c: steps of constant size: times, memory, failures, restarts, implicit forces. */
#include "support/run.h"

#include "support/allocator.h"

typedef struct bench {
    world w;
    ss_solver *solver;
    ss_scheme *scheme;
    ss_simulation *simulation;
} bench;

typedef struct plan {
    double step, end;
    const char *on_failure; /* NULL: stop */
    int max_iterations;     /* 0: the solver's own */
    bool implicit;
    double damping; /* of a damper on the block */
} plan;

/* A block that drops on its two corners, slides and comes to rest. */
static ss_status add_block(world *w)
{
    static const char *const corners[] = {"left", "right"};
    SS_TRY(try_system(w, "block", "planar_body", "mass", "2", "inertia", "0.02", "position",
                      "0 0.06 0.02", "velocity", "1 0 0"));
    for (int i = 0; i < 2; i++) {
        SS_TRY(try_element(w, corners[i], "plane", "system", "block", "point",
                           i ? "0.1 -0.05" : "-0.1 -0.05", "normal", "0 1"));
        SS_TRY(try_law(w, corners[i], "gap", "unilateral"));
        SS_TRY(try_law(w, corners[i], "slip", "friction", "mu", "0.4"));
    }
    return SS_OK;
}

static ss_status add_forces(world *w, double damping)
{
    SS_TRY(try_force(w, "weight", "gravity", "acceleration", "0 -9.81"));
    if (damping == 0)
        return SS_OK;
    SS_TRY(ss_model_define(w->model, "d", damping));
    return try_force(w, "damper", "load", "on", "x", "force", "-d*x'");
}

static ss_status make_simulation(bench *b, const plan *p)
{
    ss_args *a;
    SS_TRY(ss_args_create(b->w.context, &a));
    ss_status s = SS_OK;
    if (p->max_iterations)
        s = ss_args_set_real(a, "max_iterations", p->max_iterations);
    if (s == SS_OK)
        s = ss_solver_create(b->w.context, "sorprox", a, NULL, &b->solver);
    ss_args_destroy(a);
    SS_TRY(s);
    SS_TRY(ss_args_create(b->w.context, &a));
    s = ss_args_set_real(a, "implicit", p->implicit);
    if (s == SS_OK)
        s = ss_scheme_create(b->w.context, "moreau", a, NULL, &b->scheme);
    ss_args_destroy(a);
    SS_TRY(s);
    SS_TRY(ss_args_create(b->w.context, &a));
    s = ss_args_set_real(a, "step", p->step);
    if (s == SS_OK)
        s = ss_args_set_real(a, "end", p->end);
    if (s == SS_OK && p->on_failure)
        s = ss_args_set_text(a, "on_failure", p->on_failure);
    if (s == SS_OK)
        s = ss_simulation_create(b->w.model, b->solver, b->scheme, "constant", a, NULL,
                                 &b->simulation);
    ss_args_destroy(a);
    return s;
}

static ss_status build(bench *b, const ss_context_options *options, const plan *p)
{
    *b = (bench){0};
    SS_TRY(try_moving_world(options, &b->w));
    SS_TRY(add_block(&b->w));
    SS_TRY(add_forces(&b->w, p->damping));
    SS_TRY(ss_model_seal(b->w.model));
    return make_simulation(b, p);
}

static void clear(bench *b)
{
    ss_simulation_destroy(b->simulation);
    ss_scheme_destroy(b->scheme);
    ss_solver_destroy(b->solver);
    world_destroy(&b->w);
}

static bench built(const plan *p)
{
    bench b;
    if (build(&b, NULL, p) != SS_OK)
        fail_msg("%s", ss_context_message(b.w.context));
    return b;
}

static void steps_end_at_multiples(void **state)
{
    (void)state;
    bench b = built(&(plan){.step = 1e-3, .end = 0.0105});
    ss_step step;
    for (int n = 1; n <= 10; n++) {
        assert_int_equal(ss_simulation_advance(b.simulation, &step), SS_OK);
        assert_true(ss_state_time(step.state) == n * 1e-3);
        assert_false(ss_simulation_done(b.simulation));
    }
    assert_int_equal(ss_simulation_advance(b.simulation, &step), SS_OK);
    assert_true(ss_state_time(step.state) == 0.0105);
    assert_true(fabs(ss_state_dt(step.state) - 5e-4) < 1e-12);
    assert_true(ss_simulation_done(b.simulation));
    clear(&b);
}

/* A step that ended between two multiples is followed by one to the next multiple. */
static void odd_times_are_taken_up(void **state)
{
    (void)state;
    bench b = built(&(plan){.step = 0.1, .end = 1});
    ss_step step;
    ss_state_set_time(ss_simulation_state(b.simulation), 0.25);
    assert_int_equal(ss_simulation_advance(b.simulation, &step), SS_OK);
    assert_true(fabs(ss_state_time(step.state) - 0.3) < 1e-15);
    assert_true(fabs(ss_state_dt(step.state) - 0.05) < 1e-15);
    clear(&b);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    counting_allocator counter = {.allowed = -1};
    ss_context_options options = counting_options(&counter);
    bench b;
    ss_step step;
    assert_int_equal(build(&b, &options, &(plan){.step = 1e-3, .end = 1}), SS_OK);
    assert_int_equal(ss_simulation_advance(b.simulation, &step), SS_OK);
    long calls = counter.calls;
    assert_int_equal(ss_simulation_run(b.simulation, NULL, NULL), SS_OK);
    assert_int_equal(counter.calls, calls);
    clear(&b);
    assert_int_equal(counter.live, 0);
}

static void allocations_fail(void **state)
{
    (void)state;
    ss_status status = SS_MEMORY;
    for (long allowed = 0; status != SS_OK; allowed++) {
        counting_allocator counter = {.allowed = allowed};
        ss_context_options options = counting_options(&counter);
        bench b;
        status = build(&b, &options, &(plan){.step = 1e-3, .end = 1, .damping = 1});
        assert_true(status == SS_OK || status == SS_MEMORY);
        clear(&b);
        assert_int_equal(counter.live, 0);
        assert_true(allowed < 10000);
    }
}

/* The same bytes with any number of threads. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    bench b[2];
    for (int i = 0; i < 2; i++) {
        ss_context_options options = ss_default_context();
        options.threads = i + 1;
        assert_int_equal(build(&b[i], &options, &(plan){.step = 1e-3, .end = 1}), SS_OK);
        assert_int_equal(ss_simulation_run(b[i].simulation, NULL, NULL), SS_OK);
    }
    const ss_state *one = ss_simulation_state(b[0].simulation),
                   *two = ss_simulation_state(b[1].simulation);
    assert_memory_equal(one, two, ss_state_bytes(one));
    clear(&b[0]);
    clear(&b[1]);
}

/* Saved in mid-run and restored elsewhere: the same bytes at the end. */
static void saved_states_resume(void **state)
{
    (void)state;
    char saved[4096];
    ss_step step;
    bench whole = built(&(plan){.step = 1e-3, .end = 0.3}),
          rest = built(&(plan){.step = 1e-3, .end = 0.3});
    for (int i = 0; i < 117; i++)
        assert_int_equal(ss_simulation_advance(whole.simulation, &step), SS_OK);
    size_t bytes = ss_state_bytes(step.state);
    assert_true(bytes <= sizeof saved);
    memcpy(saved, step.state, bytes);
    assert_int_equal(ss_simulation_run(whole.simulation, NULL, NULL), SS_OK);
    assert_int_equal(
        ss_state_restore(rest.w.model, bytes, saved, ss_simulation_state(rest.simulation)), SS_OK);
    assert_int_equal(ss_simulation_run(rest.simulation, NULL, NULL), SS_OK);
    assert_memory_equal(ss_simulation_state(whole.simulation), ss_simulation_state(rest.simulation),
                        bytes);
    clear(&whole);
    clear(&rest);
}

static void failures_stop(void **state)
{
    (void)state;
    bench b = built(&(plan){.step = 1e-3, .end = 1, .max_iterations = 1});
    assert_int_equal(ss_simulation_run(b.simulation, NULL, NULL), SS_NOT_CONVERGED);
    const char *message = ss_context_message(b.w.context);
    assert_non_null(strstr(message, "did not converge: iterations used up after 1 iterations"));
    assert_non_null(strstr(message, "worst law '"));
    /* The state is the last good one. */
    assert_int_equal(ss_state_statistics(ss_simulation_state(b.simulation))->failures, 0);
    assert_true(ss_state_time(ss_simulation_state(b.simulation)) > 0);
    clear(&b);
}

static void count_warnings(void *user, ss_log_level level, const char *message)
{
    assert_int_equal(level, SS_LOG_WARNING);
    assert_non_null(strstr(message, "residual"));
    ++*(uint64_t *)user;
}

static void failures_warn(void **state)
{
    (void)state;
    uint64_t warnings = 0;
    ss_context_options options = ss_default_context();
    options.log = count_warnings;
    options.log_user = &warnings;
    bench b;
    plan p = {.step = 1e-3, .end = 0.2, .max_iterations = 2, .on_failure = "warn"};
    assert_int_equal(build(&b, &options, &p), SS_OK);
    assert_int_equal(ss_simulation_run(b.simulation, NULL, NULL), SS_OK);
    const ss_statistics *sums = ss_state_statistics(ss_simulation_state(b.simulation));
    assert_true(sums->failures > 0);
    assert_int_equal(sums->failures, warnings);
    assert_true(sums->worst_residual > 1e-10);
    clear(&b);
}

static void failures_shrink(void **state)
{
    (void)state;
    bench b = built(&(plan){.step = 1e-3, .end = 1, .max_iterations = 1, .on_failure = "shrink"});
    assert_int_equal(ss_simulation_run(b.simulation, NULL, NULL), SS_NOT_CONVERGED);
    char text[64];
    snprintf(text, sizeof text, "(Δt = %g s)", 1e-3 / 1024);
    assert_non_null(strstr(ss_context_message(b.w.context), text));
    clear(&b);
}

/* The fixed point iteration of an implicit damper needs d Δt/m < 1: it fails with Δt, not with Δt/8. */
static void shrinking_helps(void **state)
{
    (void)state;
    double d = 1000, dt = 1e-2, m = 2, expected = 1;
    plan p = {.step = dt, .end = 1, .implicit = true, .damping = d, .on_failure = "shrink"};
    bench b = built(&p);
    ss_step step;
    ss_state_edit_q(ss_simulation_state(b.simulation))[1] = 1;
    assert_int_equal(ss_simulation_advance(b.simulation, &step), SS_OK);
    for (int i = 0; i < 8; i++)
        expected /= 1 + d * dt / 8 / m;
    assert_true(fabs(ss_state_u(step.state)[0] - expected) < 1e-9);
    assert_int_equal(ss_state_statistics(step.state)->failures, 1);
    assert_int_equal(ss_state_statistics(step.state)->steps, 8);
    assert_true(ss_state_time(step.state) == dt);
    clear(&b);
}

/* A free body with a damper: the velocity after an implicit step is u / (1 + d Δt/m). */
static void implicit_forces(void **state)
{
    (void)state;
    double d = 100, dt = 1e-2, m = 2;
    bench b = built(&(plan){.step = 1e-2, .end = 1, .implicit = true, .damping = 100});
    ss_state *s = ss_simulation_state(b.simulation);
    ss_step step;
    memcpy(ss_state_edit_q(s), (double[]){0, 1, 0}, 3 * sizeof(double));
    assert_int_equal(ss_simulation_advance(b.simulation, &step), SS_OK);
    assert_true(fabs(ss_state_u(step.state)[0] - 1 / (1 + d * dt / m)) < 1e-9);
    clear(&b);
}

static ss_status stop_at_once(void *user, ss_simulation *simulation, const ss_step *step)
{
    (void)simulation;
    int *calls = user;
    assert_true((*calls == 0) == (step->report == NULL));
    return ++*calls == 3 ? SS_STOPPED : SS_OK;
}

static void observers_stop_a_run(void **state)
{
    (void)state;
    int calls = 0;
    bench b = built(&(plan){.step = 1e-3, .end = 1});
    assert_int_equal(ss_simulation_run(b.simulation, stop_at_once, &calls), SS_STOPPED);
    assert_int_equal(calls, 3);
    assert_true(ss_state_time(ss_simulation_state(b.simulation)) == 2e-3);
    clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_end_at_multiples),
        cmocka_unit_test(odd_times_are_taken_up),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(allocations_fail),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(saved_states_resume),
        cmocka_unit_test(failures_stop),
        cmocka_unit_test(failures_warn),
        cmocka_unit_test(failures_shrink),
        cmocka_unit_test(shrinking_helps),
        cmocka_unit_test(implicit_forces),
        cmocka_unit_test(observers_stop_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
