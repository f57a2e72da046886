/* test_too_fast.c: what may pass through others within a step is warned of, and what may not is not. */
#include "support/run.h"

static void keep(void *user, ss_log_level level, const char *message)
{
    if (level == SS_LOG_WARNING && !*(char *)user)
        snprintf(user, 512, "%s", message);
}

/* The first warning of a body of 1 kg with a shape, in one step of 1 ms; a floor far below gives it something to meet. */
static void warning_of(const char *type, const char *key, const char *size, const char *rotation,
                       const char *velocity, char warning[512])
{
    ss_context_options options = ss_default_context();
    options.log = keep;
    options.log_user = warning;
    *warning = '\0';
    world w = world_create(&options);
    assert_ok(&w, ss_register_builtin_schemes(w.context));
    assert_ok(&w, ss_register_builtin_simulations(w.context));
    add_system(&w, "thing", "body", "mass", "1", "inertia", "1", "position", "0 0 9", "rotation",
               rotation, "velocity", velocity);
    add_shape(&w, "floor", "plane");
    if (strcmp(type, "cylinder") == 0)
        add_shape(&w, "thing", type, "radius", "0.2", "length", size, "on", "thing");
    else
        add_shape(&w, "thing", type, key, size, "on", "thing");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    run r = run_create(&w, 1e-3, 1e-3, 0);
    run_to_end(&r);
    run_destroy(&r);
}

static void check(bool expected, const char *type, const char *key, const char *size,
                  const char *rotation, const char *velocity)
{
    char warning[512];
    warning_of(type, key, size, rotation, velocity, warning);
    if ((strstr(warning, "may pass through others") != NULL) != expected)
        fail_msg("%s %s, %s, %s: '%s'", type, size, rotation, velocity, warning);
}

/* A plate of 2 mm moves by 2 mm along its normal, however it is turned, or in its plane. */
static void plates_along_their_normal(void **state)
{
    (void)state;
    const char *plate = "0.5 0.5 0.002";
    check(true, "box", "size", plate, "0 0 1 0", "0 0 2");
    check(true, "box", "size", plate, "0 1 0 0.78539816339744831", "1.4142 0 1.4142");
    check(false, "box", "size", plate, "0 0 1 0", "2 0 0");
    check(false, "box", "size", plate, "0 1 0 0.78539816339744831", "1.4142 0 -1.4142");
}

/* A rod whose ends move by 5 mm: across it when it spins, not at all when it rolls about its axis. */
static void rods_that_spin(void **state)
{
    (void)state;
    const char *rod = "1 0.008 0.008";
    check(true, "box", "size", rod, "1 2 3 0.4", "0 0 0 5.3 -6.4 -5.6"); /* 10 rad/s */
    check(false, "box", "size", rod, "0 0 1 0", "0 0 0 10 0 0");
    check(false, "box", "size", rod, "0 0 1 0", "0 0 0 0 0 5");
}

/* Balls and disks may spin about their axes as fast as they like. */
static void round_things_may_spin(void **state)
{
    (void)state;
    check(false, "sphere", "radius", "0.01", "0 0 1 0", "0 0 0 3000 0 0");
    check(true, "sphere", "radius", "0.01", "0 0 1 0", "11 0 0 0 0 0");
    check(false, "cylinder", "length", "0.01", "0 0 1 0", "0 0 0 0 0 900");
    check(true, "cylinder", "length", "0.01", "0 0 1 0", "0 0 0 30 0 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_along_their_normal),
        cmocka_unit_test(rods_that_spin),
        cmocka_unit_test(round_things_may_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
