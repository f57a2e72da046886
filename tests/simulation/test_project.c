/* test_project.c: drift is taken out, and velocities lag behind curved constraints as steps do. */
#include "support/run.h"

/* A point on a circle of radius 1, held by its distance from the origin; twice when `twice`. */
static run circle(world *w, bool twice)
{
    add_system(w, "bob", "point", "dim", "2", "mass", "2", "position", "0.6 -0.8", "velocity",
               "4 3");
    add_element(w, "rod", "distance", "system", "bob", "to_point", "0 0", "length", "1");
    add_law(w, "rod", "gap", "bilateral");
    if (twice) {
        add_element(w, "same", "distance", "system", "bob", "to_point", "0 0", "length", "1");
        add_law(w, "same", "gap", "bilateral");
    }
    return run_create(w, 1e-3, 1, 0);
}

/* The nearest point of the circle, the tangential part of the velocity. */
static void drift_is_taken_out(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        world w = moving_world();
        run r = circle(&w, twice);
        double q[2] = {0.63, -0.84}, u[2] = {4.6, 2.2}, gap[2] = {0, 0};
        ss_role roles[2] = {SS_ROLE_CLOSED, SS_ROLE_CLOSED};
        assert_ok(&w, ss_work_project(ss_simulation_work(r.simulation), 0, roles, gap, q, u));
        assert_near(q[0], 0.6, 1e-15);
        assert_near(q[1], -0.8, 1e-15);
        /* u - (u n) n with n = (0.6, -0.8): u n = 1 */
        assert_near(u[0], 4, 1e-14);
        assert_near(u[1], 3, 1e-14);
        run_destroy(&r);
    }
}

static void only_held_laws_are_projected(void **state)
{
    (void)state;
    world w = moving_world();
    run r = circle(&w, false);
    double q[2] = {0.63, -0.84}, u[2] = {4.6, 2.2}, gap[1] = {0};
    const ss_role roles[] = {SS_ROLE_NONE, SS_ROLE_SEEN};
    for (int i = 0; i < 2; i++)
        assert_ok(&w, ss_work_project(ss_simulation_work(r.simulation), 0, &roles[i], gap, q, u));
    assert_true(q[0] == 0.63 && q[1] == -0.84 && u[0] == 4.6 && u[1] == 2.2);
    const ss_role held = SS_ROLE_CLOSED;
    assert_ok(&w, ss_work_project(ss_simulation_work(r.simulation), 0, &held, NULL, q, u));
    assert_true(q[0] == 0.63 && q[1] == -0.84);
    assert_near(u[0], 4, 1e-14);
    run_destroy(&r);
}

/* γ with W of the place q + s u. */
static double radial(const double *q, const double *u, double s)
{
    double x = q[0] + s * u[0], y = q[1] + s * u[1];
    return (x * u[0] + y * u[1]) / hypot(x, y);
}

/* Held: no radial velocity half a step ago; back again it is what it was. */
static void lag_and_back(void **state)
{
    (void)state;
    world w = moving_world();
    run r = circle(&w, false);
    ss_work *work = ss_simulation_work(r.simulation);
    const ss_role held = SS_ROLE_CLOSED, seen = SS_ROLE_SEEN;
    double q[2] = {0.6, -0.8}, u[2] = {4, 3}, dt = 0.02;
    assert_ok(&w, ss_work_lag(work, 0, dt, &held, false, q, u));
    assert_near(radial(q, u, -dt / 2), 0, 1e-13);
    assert_true(fabs(radial(q, u, 0)) > 0.2); /* u² dt/2 = 0.25 */
    assert_ok(&w, ss_work_lag(work, 0, dt, &held, true, q, u));
    assert_near(u[0], 4, 1e-13);
    assert_near(u[1], 3, 1e-13);
    /* Seen: the radial velocity 1 m/s is what is seen half a step ago. */
    u[0] = 4.6;
    u[1] = 2.2;
    assert_ok(&w, ss_work_lag(work, 0, dt, &seen, false, q, u));
    assert_near(radial(q, u, -dt / 2), 1, 1e-12);
    assert_ok(&w, ss_work_lag(work, 0, dt, &seen, true, q, u));
    assert_near(u[0], 4.6, 1e-12);
    assert_near(u[1], 2.2, 1e-12);
    run_destroy(&r);
}

/* A step that begins with lagging velocities feels the whole centripetal force, one that does not
 * only half of it. */
static void first_step_feels_the_whole_force(void **state)
{
    (void)state;
    double force = 2 * 25, dt = 1e-5; /* m u²/R */
    for (int lag = 0; lag < 2; lag++) {
        world w = moving_world();
        run r = circle(&w, false);
        const ss_role held = SS_ROLE_CLOSED;
        if (lag)
            assert_ok(&w,
                      ss_work_lag(ss_simulation_work(r.simulation), 0, dt, &held, false, r.q, r.u));
        assert_ok(&w, ss_simulation_try_step(r.simulation, dt));
        assert_near(run_P(&r)[0] / dt, -force * (lag ? 1 : 0.5), 1e-3 * force);
        run_destroy(&r);
    }
}

/* A contact that is held is active whatever its gap. */
static void held_contacts_stay_active(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        world w = moving_world();
        add_system(&w, "mass", "point", "dim", "1", "mass", "1", "position", "1e-6", "velocity",
                   "-1");
        add_element(&w, "table", "expression", "gap", "x");
        add_law(&w, "table", "gap", "unilateral");
        run r = run_create(&w, 1e-7, 1, 0);
        bool keep = true;
        ss_work_keep_active(ss_simulation_work(r.simulation), kept ? &keep : NULL);
        run_step(&r);
        assert_near(r.u[0], kept ? 0 : -1, 1e-15);
        assert_int_equal(ss_work_active(ss_simulation_work(r.simulation), 0), kept);
        run_destroy(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drift_is_taken_out),
        cmocka_unit_test(only_held_laws_are_projected),
        cmocka_unit_test(lag_and_back),
        cmocka_unit_test(first_step_feels_the_whole_force),
        cmocka_unit_test(held_contacts_stay_active),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
