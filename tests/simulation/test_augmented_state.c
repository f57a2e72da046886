/* test_augmented_state.c: augmented time-stepping and its memory: restarts, threads, allocations,
 * failures. */
#include "simulation/run_augmented.h"
#include "support/allocator.h"

/* A block that drops on its two corners, slides, hits a wall and comes to rest: impacts, friction,
 * open and closed. */
static ss_status build_block(world *w, run *r, const char *end, const char *on_failure)
{
    SS_TRY(try_system(w, "block", "planar_body", "mass", "2", "inertia", "0.02", "position",
                      "0 0.08 0.1", "velocity", "1.5 0 0"));
    SS_TRY(try_force(w, "weight", "gravity", "acceleration", "0 -9.81"));
    SS_TRY(
        try_element(w, "left", "plane", "system", "block", "point", "-0.1 -0.05", "normal", "0 1"));
    SS_TRY(
        try_element(w, "right", "plane", "system", "block", "point", "0.1 -0.05", "normal", "0 1"));
    SS_TRY(try_element(w, "wall", "plane", "system", "block", "point", "0.1 0", "normal", "-1 0",
                       "through", "0.2 0"));
    SS_TRY(try_law(w, "left", "gap", "unilateral", "restitution", "0.3"));
    SS_TRY(try_law(w, "left", "slip", "friction", "mu", "0.3"));
    SS_TRY(try_law(w, "right", "gap", "unilateral", "restitution", "0.3"));
    SS_TRY(try_law(w, "right", "slip", "friction", "mu", "0.3"));
    SS_TRY(try_law(w, "wall", "gap", "unilateral", "restitution", "0.5"));
    return try_augmented(w, r, "step_max", "0.02", "step_min", "1e-7", "end", end, "on_failure",
                         on_failure, (const char *)NULL);
}

static ss_status build(const ss_context_options *options, world *w, run *r)
{
    *r = (run){.w = w};
    SS_TRY(try_moving_world(options, w));
    return build_block(w, r, "1", "stop");
}

static void steps_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator counter = {.allowed = -1};
    ss_context_options options = counting_options(&counter);
    world w;
    run r;
    assert_int_equal(build(&options, &w, &r), SS_OK);
    run_step(&r);
    long calls = counter.calls;
    run_to_end(&r);
    assert_int_equal(counter.calls, calls);
    assert_true(run_sums(&r)->switches > 10);
    run_destroy(&r);
    assert_int_equal(counter.live, 0);
}

static void allocations_fail(void **state)
{
    (void)state;
    ss_status status = SS_MEMORY;
    for (long allowed = 0; status != SS_OK; allowed++) {
        counting_allocator counter = {.allowed = allowed};
        ss_context_options options = counting_options(&counter);
        world w;
        run r;
        status = build(&options, &w, &r);
        assert_true(status == SS_OK || status == SS_MEMORY);
        run_destroy(&r);
        assert_int_equal(counter.live, 0);
        assert_true(allowed < 10000);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    world w[2];
    run r[2];
    for (int i = 0; i < 2; i++) {
        ss_context_options options = ss_default_context();
        options.threads = i + 1;
        assert_int_equal(build(&options, &w[i], &r[i]), SS_OK);
        run_to_end(&r[i]);
    }
    const ss_state *one = ss_simulation_state(r[0].simulation),
                   *two = ss_simulation_state(r[1].simulation);
    assert_memory_equal(one, two, ss_state_bytes(one));
    run_destroy(&r[0]);
    run_destroy(&r[1]);
}

/* Saved after every seventh step, in the middle of localizing a switch or not, and taken up
 * elsewhere: the same bytes at the end. */
static void saved_states_resume(void **state)
{
    (void)state;
    char saved[4096], end[4096];
    world w, v;
    run whole, rest;
    assert_int_equal(build(NULL, &w, &whole), SS_OK);
    size_t bytes = ss_state_bytes(ss_simulation_state(whole.simulation));
    assert_true(bytes <= sizeof saved);
    run_to_end(&whole);
    memcpy(end, ss_simulation_state(whole.simulation), bytes);
    uint64_t steps = run_sums(&whole)->steps;
    run_destroy(&whole);
    for (uint64_t stop = 1; stop < steps; stop += 7) {
        assert_int_equal(build(NULL, &w, &whole), SS_OK);
        for (uint64_t i = 0; i < stop; i++)
            run_step(&whole);
        memcpy(saved, ss_simulation_state(whole.simulation), bytes);
        run_destroy(&whole);
        assert_int_equal(build(NULL, &v, &rest), SS_OK);
        assert_ok(&v,
                  ss_state_restore(v.model, bytes, saved, ss_simulation_state(rest.simulation)));
        run_to_end(&rest);
        assert_memory_equal(end, ss_simulation_state(rest.simulation), bytes);
        run_destroy(&rest);
    }
}

/* A state without the simulation's memory takes over everything else. */
static void plain_states_are_copied(void **state)
{
    (void)state;
    world w;
    run r;
    ss_state *plain;
    assert_int_equal(build(NULL, &w, &r), SS_OK);
    for (int i = 0; i < 20; i++)
        run_step(&r);
    const ss_state *now = ss_simulation_state(r.simulation);
    assert_int_equal(ss_state_memory_count(now),
                     8); /* three numbers on steps, and the sides of five laws */
    assert_ok(&w, ss_state_create(w.model, &plain));
    assert_int_equal(ss_state_memory_count(plain), 0);
    size_t bytes = ss_state_bytes(plain);
    ss_state_copy(plain, now);
    assert_int_equal(ss_state_bytes(plain), bytes);
    assert_true(ss_state_time(plain) == ss_state_time(now));
    assert_memory_equal(ss_state_q(plain), ss_state_q(now), 3 * sizeof(double));
    assert_memory_equal(ss_state_mode(plain), ss_state_mode(now), 5 * sizeof(int));
    ss_state_edit_q(plain)[0] = 17;
    ss_state *current = ss_simulation_state(r.simulation);
    double next = ss_state_memory(current)[0];
    ss_state_copy(current, plain);
    assert_true(ss_state_q(current)[0] == 17);
    assert_true(ss_state_memory(current)[0] == next);
    assert_int_equal(ss_state_restore(w.model, bytes, plain, current), SS_INPUT);
    ss_state_destroy(plain);
    run_destroy(&r);
}

/* Statistics count what was tried, too. */
static void effort_is_counted(void **state)
{
    (void)state;
    world w;
    run r;
    assert_int_equal(build(NULL, &w, &r), SS_OK);
    uint64_t observed = 0, switches = 0;
    ss_step step;
    while (!ss_simulation_done(r.simulation)) {
        assert_ok(&w, ss_simulation_advance(r.simulation, &step));
        observed++;
        switches += (uint64_t)step.n_switches;
        assert_true(step.order >= 1 && step.order <= 6);
        assert_int_equal(ss_state_statistics(step.state)->steps, observed);
        assert_int_equal(ss_state_statistics(step.state)->switches, switches);
    }
    assert_true(run_sums(&r)->tries > 3 * observed);
    assert_true(run_sums(&r)->iterations >= run_sums(&r)->tries / 2);
    assert_int_equal(run_sums(&r)->failures, 0);
    run_destroy(&r);
}

/* Where a solve fails the step becomes smaller, to the least one; then the policy decides. */
static void limited_solver(const char *on_failure, ss_status expected)
{
    world w = moving_world();
    run r;
    ss_args *args;
    assert_ok(&w, build_block(&w, &r, "0.3", on_failure));
    ss_simulation_destroy(r.simulation);
    ss_solver_destroy(r.solver);
    assert_ok(&w, ss_args_create(w.context, &args));
    assert_ok(&w, ss_args_set_real(args, "max_iterations", 1));
    assert_ok(&w, ss_args_set_real(args, "tolerance", 1e-15));
    assert_ok(&w, ss_solver_create(w.context, "sorprox", args, NULL, &r.solver));
    ss_args_destroy(args);
    assert_ok(&w, ss_args_create(w.context, &args));
    assert_ok(&w, ss_args_set_real(args, "step_max", 0.02));
    assert_ok(&w, ss_args_set_real(args, "step_min", 1e-3));
    assert_ok(&w, ss_args_set_real(args, "end", 0.3));
    assert_ok(&w, ss_args_set_text(args, "on_failure", on_failure));
    assert_ok(&w, ss_simulation_create(w.model, r.solver, r.scheme, "augmented", args, NULL,
                                       &r.simulation));
    ss_args_destroy(args);
    assert_int_equal(ss_simulation_run(r.simulation, NULL, NULL), expected);
    if (expected == SS_OK)
        assert_true(run_sums(&r)->failures > 0);
    else
        assert_non_null(
            strstr(ss_context_message(w.context), "step (Δt = 0.001 s) did not converge"));
    run_destroy(&r);
}

static void failures_follow_the_policy(void **state)
{
    (void)state;
    limited_solver("stop", SS_NOT_CONVERGED);
    limited_solver("warn", SS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_allocate_nothing),     cmocka_unit_test(allocations_fail),
        cmocka_unit_test(threads_do_not_matter),      cmocka_unit_test(saved_states_resume),
        cmocka_unit_test(plain_states_are_copied),    cmocka_unit_test(effort_is_counted),
        cmocka_unit_test(failures_follow_the_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
