/* test_schemes.c: one scene with every scheme by changing one word. */

#include "run.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEAR(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))

/* Schemes that treat restitution. */
static const char *const elastic[] = {
    "moreau", "moreau_stabilized", "paoli_schatzman",     "stiegelmeier", "funk", "potra", "gavrea",
    "ggl",    "generalized_alpha", "anitescu_potra_1997",
};
enum { N_ELASTIC = sizeof elastic / sizeof *elastic };

static void open_with(run *r, const char *scene, const char *scheme, const char *setting)
{
    char type[64];
    snprintf(type, sizeof type, "scheme.type=%s", scheme);
    const char *overrides[] = {type, setting, NULL};
    open_run(r, scene, overrides);
}

/* The toy loses 62.62 mm of height in the first half second: potra with steps of 3e-6 s, and
 * Moreau's rule with 2e-6 s to 0.03 mm. Steps of 1e-4 s, and schemes that need two steps for an
 * impact, are not that exact. */
static void woodpecker_pecks_with_all_of_them(void **state)
{
    (void)state;
    for (int i = 0; i < N_ELASTIC; i++) {
        run r;
        open_with(&r, "woodpecker", elastic[i], "simulation.step=1e-4");
        finish_run(&r);
        double way = position(&r, "toy.y");
        if (!(fabs(way + 0.06262) < 0.08 * 0.06262))
            fail_msg("%s: %g mm", elastic[i], 1e3 * way);
        close_run(&r);
    }
}

/* Impact times of the oscillator (independent values), seen in the records of schemes with modes at
 * step ends. */
static void impacts_come_when_they_should(void **state)
{
    (void)state;
    const char *seen[] = {"moreau", "moreau_stabilized", "paoli_schatzman", "stiegelmeier", "funk",
                          "ggl",    "generalized_alpha"};
    const double times[] = {0.1395077, 0.4561889, 0.8085981};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        run r;
        open_with(&r, "impact_oscillator", seen[i], "simulation.step=1e-5");
        finish_run(&r);
        for (int k = 0; k < 3; k++)
            NEAR(event_time(&r, "stop.gap", "closed", k), times[k], 2e-4);
        close_run(&r);
    }
}

/* Stiff systems: linearly implicit schemes do not notice the stiff spring, and the masses end where
 * the soft one and the table hold them: upper at 0.1 m, lower on the table. */
static void stiff_springs_need_implicit_schemes(void **state)
{
    (void)state;
    const char *good[] = {"anitescu_potra_2002", "gavrea", "generalized_alpha"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        run r;
        open_with(&r, "stiff_spring", good[i], "simulation.end=4");
        finish_run(&r);
        NEAR(position(&r, "lower.x"), 0, 1e-3);
        NEAR(position(&r, "upper.x") - position(&r, "lower.x"), 0.1, 1e-5);
        close_run(&r);
    }
    run r;
    open_run(&r, "stiff_spring", /* rounding of the stiff force is above the tolerance here */
             (const char *[]){"scheme.type=generalized_alpha", "simulation.step=1e-4",
                              "simulation.end=0.05", NULL});
    finish_run(&r);
    close_run(&r);
    open_with(&r, "stiff_spring", "moreau", "simulation.end=4");
    assert_int_not_equal(ss_simulation_run(ss_scene_simulation(r.scene), NULL, NULL), SS_OK);
    close_run(&r);
}

/* Slack and taut phases of the rope (Fig. 5.17), with the mass on the circle or inside of it. */
static void look_at_rope(run *r, const ss_state *state)
{
    const double *q = ss_state_q(state);
    double *longest = r->user;
    *longest = fmax(*longest, hypot(q[0], q[1]));
}

static void rope_pendulum(void **state)
{
    (void)state;
    run r;
    double longest = 0;
    open_run(&r, "rope_pendulum", NULL);
    r.look = look_at_rope;
    r.user = &longest;
    finish_run(&r);
    assert_true(longest < 1 + 1e-9);
    assert_true(event_time(&r, "rope.gap", "open", 0) > 3);
    assert_true(event_time(&r, "rope.gap", "closed", 1) > event_time(&r, "rope.gap", "open", 0));
    close_run(&r);
}

/* A ball that contacts a table by its shape, a stop with restitution, a rod: every scheme that there
 * is treats them, for twenty steps at least, or says why not. */
static void run_or_refuse(ss_context *context, const char *scene, const char *scheme, bool can,
                          const char *reason)
{
    char path[1024], type[128], name[128];
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", SS_SOURCE_DIR, scene);
    snprintf(type, sizeof type, "scheme.type=%s", scheme);
    snprintf(name, sizeof name, "the scheme '%s' cannot be used here: ", scheme);
    const char *settings[] = {type, "simulation.step=1e-4", "simulation.end=2e-3"};
    ss_scene_options options = {.settings = settings, .n_settings = 3};
    ss_scene *loaded = NULL;
    ss_status status = ss_scene_load(context, path, &options, &loaded);
    if (status == SS_OK)
        status = ss_simulation_run(ss_scene_simulation(loaded), NULL, NULL);
    if ((status == SS_OK) != can)
        fail_msg("%s with %s: %s", scene, scheme,
                 can ? ss_context_message(context) : "is not refused");
    if (!can) {
        assert_int_equal(status, SS_UNSUPPORTED);
        assert_non_null(strstr(ss_context_message(context), name));
        assert_non_null(strstr(ss_context_message(context), reason));
    }
    ss_scene_destroy(loaded);
}

static void all_schemes_treat_or_refuse(void **state)
{
    (void)state;
    ss_context *context;
    ss_context_options options = ss_default_context();
    assert_int_equal(ss_context_create(&options, &context), SS_OK);
    int count = 0;
    for (const ss_type *type; (type = ss_type_at(context, SS_TYPE_SCHEME, (size_t)count));
         count++) {
        ss_scheme *scheme;
        assert_int_equal(ss_scheme_create(context, type->name, NULL, NULL, &scheme), SS_OK);
        ss_abilities can = ss_scheme_abilities(scheme);
        ss_scheme_destroy(scheme);
        assert_true(can.order >= 1);
        run_or_refuse(context, "billiard", type->name, true, "");
        run_or_refuse(context, "impact_oscillator", type->name, can.elastic,
                      "law 'stop.gap' has restitution");
        run_or_refuse(context, "pendulum", type->name, can.bilateral, "never opens");
        run_or_refuse(context, "linear_oscillator", type->name, true, "");
    }
    assert_int_equal(count, 18);
    run_or_refuse(context, "stack", "theta", true, ""); /* its forces are linearized */
    run_or_refuse(context, "stack", "stewart_trinkle", true, "");
    ss_context_destroy(context);
}

static void smooth_scenes_run(void **state)
{
    (void)state;
    run r;
    open_run(&r, "linear_oscillator", (const char *[]){"scheme.type=theta", NULL});
    finish_run(&r);
    NEAR(position(&r, "mass.x"), cos(50), 0.05); /* ω³ Δt² t/12 = 0.042 rad */
    close_run(&r);
    open_run(&r, "pendulum",
             (const char *[]){"scheme.type=preconditioned_index3", "scheme.alpha=0.5", NULL});
    finish_run(&r);
    NEAR(hypot(position(&r, "mass.x"), position(&r, "mass.y")), 1, 1e-10);
    close_run(&r);
    open_run(&r, "ggl_ball", NULL);
    finish_run(&r);
    NEAR(velocity(&r, "ball.x'"), 0, 1e-12);
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(woodpecker_pecks_with_all_of_them),
        cmocka_unit_test(impacts_come_when_they_should),
        cmocka_unit_test(stiff_springs_need_implicit_schemes),
        cmocka_unit_test(rope_pendulum),
        cmocka_unit_test(all_schemes_treat_or_refuse),
        cmocka_unit_test(smooth_scenes_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
