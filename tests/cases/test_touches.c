/* test_touches.c: shapes in simulations that follow every touch through time: accumulation of impacts, what is reported, and going
 * on from a saved state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(value, expected, tolerance)                                  \
    do {                                                                  \
        double value_ = (value), expected_ = (expected);                  \
        if (!(fabs(value_ - expected_) <= (tolerance)))                   \
            fail_msg("%s = %.17g, not %.17g", #value, value_, expected_); \
    } while (0)

/* A ball let fall from h bounces until √(2h/g) (1 + ε)/(1 - ε), infinitely often, and lies. */
static const char *const falls[] = {"v0=0", "systems.ball.position=[0, 0, 0.1]",
                                    "elements.touch.laws.gap.restitution=0.5", "simulation.end=0.6",
                                    NULL};
static const char *const types[][5] = {
    {"simulation.type=event_driven", "simulation.output=0.1"},
    {"simulation.type=augmented", "simulation.step_max=0.01", "simulation.step_min=1e-10",
     "solver.tolerance=1e-14"},
    {"simulation.type=hybrid", "simulation.output=0.1"},
};

static void open_as(run *r, int type, const char *scene, const char *const *model)
{
    const char *all[MOST_OVERRIDES] = {NULL};
    int n = 0;
    for (int i = 0; model[i]; i++)
        all[n++] = model[i];
    for (int i = 0; i < 5 && types[type][i]; i++)
        all[n++] = types[type][i];
    open_run(r, scene, all);
}

static void impacts_of_a_ball_accumulate(void **state)
{
    (void)state;
    static run r;
    for (int type = 0; type < 3; type++) {
        double first = sqrt(2 * (0.1 - 0.03) / 9.81), rest = first * (1 + 0.5) / (1 - 0.5);
        open_as(&r, type, "billiard", falls);
        finish_run(&r);
        NEAR(event_time(&r, "touch.gap", "closed", 0), first, 2e-10);
        assert_int_equal(mode(&r, "touch.gap"), 0);
        NEAR(position(&r, "ball.z"), 0.03, 1e-8);
        NEAR(velocity(&r, "ball.z'"), 0, 1e-12);
        assert_true(r.n_events > 10 && r.n_events < 200);
        NEAR(r.events[r.n_events - 1].t, rest, type == 2 ? 1e-3 : 1e-6);
        close_run(&r);
    }
}

/* A ball that slides has one touch, with its weight and μ times as much. */
static void touches_are_reported(void **state)
{
    (void)state;
    static run r;
    for (int type = 0; type < 2; type++) {
        open_as(&r, type, "billiard", (const char *const[]){"simulation.end=0.1", NULL});
        finish_run(&r);
        double weight = 1800 * 4.0 / 3 * acos(-1.0) * 0.03 * 0.03 * 0.03 * 9.81,
               dt = ss_state_dt(r.state);
        const ss_contact *contact = ss_state_contacts(r.state);
        assert_int_equal(ss_state_contact_count(r.state), 1);
        assert_int_equal(contact->closed, 1);
        assert_int_equal(contact->slips, 1);
        NEAR(fabs(contact->n[2]), 1, 1e-15);
        NEAR(contact->n[2] * contact->P[2] / dt, weight, 1e-9 * weight);
        NEAR(contact->n[2] * contact->P[0] / dt, -0.25 * weight, 1e-9 * weight);
        NEAR(contact->gap, 0, 1e-15);
        close_run(&r);
    }
}

/* A copy of the state that was taken on the way leads another simulation of the scene to the same bits. */
static void check_goes_on(int type, const char *scene, const char *const *model, int steps)
{
    static run whole, rest;
    ss_step step;
    open_as(&whole, type, scene, model);
    open_as(&rest, type, scene, model);
    ss_simulation *first = ss_scene_simulation(whole.scene),
                  *second = ss_scene_simulation(rest.scene);
    for (int i = 0; i < steps && !ss_simulation_done(first); i++)
        assert_int_equal(ss_simulation_advance(first, &step), SS_OK);
    assert_false(ss_simulation_done(first));
    const ss_state *now = ss_simulation_state(first);
    assert_int_equal(ss_state_restore(ss_scene_model(rest.scene), ss_state_bytes(now), now,
                                      ss_simulation_state(second)),
                     SS_OK);
    finish_run(&whole);
    finish_run(&rest);
    assert_int_equal(ss_state_bytes(whole.state), ss_state_bytes(rest.state));
    assert_memory_equal(whole.state, rest.state, ss_state_bytes(whole.state));
    close_run(&whole);
    close_run(&rest);
}

static void saved_states_go_on(void **state)
{
    (void)state;
    for (int type = 0; type < 3; type++) {
        check_goes_on(type, "billiard", falls, 6);
        check_goes_on(type, "billiard",
                      (const char *const[]){"simulation.end=0.4", "slope=0.3", NULL}, 3);
    }
}

static void boxes_on_meshes_are_refused(void **state)
{
    (void)state;
    ss_context_options options = ss_default_context();
    const char *settings[] = {"simulation.type=augmented", "simulation.step_max=0.01",
                              "simulation.step_min=1e-8"};
    ss_scene_options with = {.settings = settings, .n_settings = 3};
    ss_context *context;
    ss_scene *scene = NULL;
    assert_int_equal(ss_context_create(&options, &context), SS_OK);
    assert_int_equal(ss_scene_load(context, SS_SOURCE_DIR "/scenes/funnel_boxes.yaml", &with, &scene),
                     SS_UNSUPPORTED);
    assert_non_null(strstr(ss_context_message(context), "cannot be followed through time"));
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_of_a_ball_accumulate),
        cmocka_unit_test(touches_are_reported),
        cmocka_unit_test(saved_states_go_on),
        cmocka_unit_test(boxes_on_meshes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
