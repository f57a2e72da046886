/* test_rest.c: bodies of any kind that rest exactly are left out of the solution, change nothing by that, and come back when
 * something disturbs them. */
#include "support/run.h"

enum { BOXES = 3, SLEEPERS = BOXES + 4 };

/* A tower of boxes, a ball that rolls until rolling friction stops it, a plate that spins until Coulomb–Contensou friction stops it, a
 * lever that dry friction in its hinge holds, a crank that the friction of its pin holds, and a ball without friction that slides towards the tower and meets it at 1 s. The
 * ball that rolls rests from 0.357 s on, the plate from about 0.3 s on. */
static world household(const char *sleep)
{
    world w = moving_world();
    add_system(&w, "slider", "body", "mass", "1", "inertia", "0.004", "position", "-1.2 0 0.1",
               "velocity", "1 0 0");
    for (int i = 0; i < BOXES; i++) {
        char name[16], place[32];
        snprintf(name, sizeof name, "box%d", i);
        snprintf(place, sizeof place, "0 0 %.17g", 0.1 + 0.2 * i);
        add_system(&w, name, "body", "mass", "1", "inertia", "0.0067", "position", place);
        add_shape(&w, name, "box", "size", "0.2 0.2 0.2", "on", name, "material", "wood");
    }
    add_system(&w, "ball", "body", "mass", "1", "inertia", "0.004", "position", "0 2 0.1",
               "velocity", "0.5 0 0 0 5 0");
    add_system(&w, "plate", "body", "mass", "1", "inertia", "0.01 0.01 0.02", "position",
               "0 4 0.02", "velocity", "0.2 0 0 0 0 3");
    add_system(&w, "lever", "body", "mass", "1", "inertia", "0.1", "position", "0.3 6 1");
    add_element(&w, "hinge", "revolute", "system", "lever", "at", "0 6 1", "axis", "0 1 0");
    add_law(&w, "hinge", "turn", "friction", "bound", "4");
    add_system(&w, "crank", "body", "mass", "1", "inertia", "0.1", "position", "0.3 8 1");
    add_element(&w, "pin", "revolute", "system", "crank", "at", "0 8 1", "axis", "0 1 0");
    add_law(&w, "pin", "turn", "joint_friction", "mu", "0.8", "radius", "0.5");
    add_shape(&w, "slider", "sphere", "radius", "0.1", "on", "slider", "material", "ice");
    add_shape(&w, "ball", "sphere", "radius", "0.1", "on", "ball", "material", "rubber");
    add_shape(&w, "plate", "cylinder", "radius", "0.2", "length", "0.04", "on", "plate", "material",
              "steel");
    add_shape(&w, "floor", "plane", "material", "floor");
    add_element(&w, "dry", "contact", "sleep", sleep);
    add_law(&w, "dry", "gap", "unilateral");
    add_law(&w, "dry", "slip", "friction", "mu", "0.5");
    add_element(&w, "smooth", "contact", "between", "ice");
    add_law(&w, "smooth", "gap", "unilateral");
    add_element(&w, "soft", "contact", "between", "rubber floor");
    add_law(&w, "soft", "gap", "unilateral");
    add_law(&w, "soft", "slip", "friction", "mu", "0.5");
    add_law(&w, "soft", "roll", "friction", "mu", "0.02");
    add_element(&w, "turning", "contact", "between", "steel floor", "length", "0.1");
    add_law(&w, "turning", "gap", "unilateral");
    add_law(&w, "turning", "slip_spin", "friction", "mu", "0.2 0.2 0.1");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    return w;
}

/* Largest velocity of some bodies. */
static double fastest(const run *r, int first, int count)
{
    double most = 0;
    for (int i = 6 * first; i < 6 * (first + count); i++)
        most = fmax(most, fabs(r->u[i]));
    return most;
}

static void step_to(run *r, double t)
{
    while (run_time(r) < t - 1e-9)
        run_step(r);
}

static uint64_t iterations(const run *r)
{
    return ss_state_statistics(ss_simulation_state(r->simulation))->iterations;
}

/* The weight that contacts carry, N. */
static double carried(const run *r)
{
    const ss_state *state = ss_simulation_state(r->simulation);
    double sum = 0;
    for (int i = 0; i < ss_state_contact_count(state); i++) {
        const ss_contact *c = &ss_state_contacts(state)[i];
        bool floor = c->b == ss_model_sizes(r->w->model).n_shapes - 1;
        sum -= floor ? c->P[2] / ss_state_dt(state) : 0;
    }
    return sum;
}

/* Impulse of a law in the last step. */
static const double *impulse(const run *r, const char *law)
{
    for (int l = 0; l < ss_model_sizes(r->w->model).n_laws; l++)
        if (strcmp(ss_model_law(r->w->model, l).name, law) == 0)
            return run_P(r) + ss_model_law(r->w->model, l).offset;
    fail_msg("there is no law '%s'", law);
    return NULL;
}

/* The pin carries the crank's weight, and its friction the torque. */
static void check_crank(const run *r)
{
    assert_near(impulse(r, "pin.gap.3")[0] / 1e-3, 9.81, 1e-7);
    assert_near(fabs(impulse(r, "pin.turn")[0]) / 1e-3, 9.81 * 0.3, 1e-7);
}

/* Two runs of the same household, one of them with sleep, at a time. */
static double difference(const char *solver, double tolerance, double t)
{
    world w[2] = {household("false"), household("true")};
    run r[2];
    double most = 0;
    for (int i = 0; i < 2; i++) {
        r[i] = run_create_by(&w[i], solver, 1e-3, 2, tolerance);
        step_to(&r[i], t);
    }
    for (int i = 0; i < ss_model_sizes(w[0].model).n_q; i++)
        most = fmax(most, fabs(r[0].q[i] - r[1].q[i]));
    run_destroy(&r[0]);
    run_destroy(&r[1]);
    return most;
}

/* From 0.6 s on nothing moves but the slider, not by the last digit; and nothing needs to be solved but its contact. All weights are
 * carried all the same. */
static void check_sleep(const char *solver, double tolerance)
{
    world w = household("true");
    run r = run_create_by(&w, solver, 1e-3, 2, tolerance);
    step_to(&r, 0.6);
    uint64_t before = iterations(&r);
    double q[64];
    int n = ss_model_sizes(w.model).n_q;
    memcpy(q, r.q, (size_t)n * sizeof *q);
    while (run_time(&r) < 0.98) {
        run_step(&r);
        assert_true(fastest(&r, 1, SLEEPERS) == 0); /* the slider stands first */
        assert_near(carried(&r), (BOXES + 3) * 9.81, 1e-6);
        check_crank(&r);
    }
    assert_memory_equal(q + 7, r.q + 7, (size_t)(n - 7) * sizeof *q);
    assert_true(iterations(&r) - before <= 400);
    run_destroy(&r);
}

static void any_bodies_sleep(void **state)
{
    (void)state;
    check_sleep("sorprox", 0);
    check_sleep("auto", 0);
}

/* Sweeps that end early do not keep anyone awake. */
static void coarse_solvers_sleep(void **state)
{
    (void)state;
    check_sleep("sorprox", 1e-6);
}

/* The slider pushes the lowest box away; the others do not hear of it. */
static void who_is_met_wakes(void **state)
{
    (void)state;
    world w = household("true");
    run r = run_create_by(&w, "auto", 1e-3, 2, 0);
    step_to(&r, 0.98);
    assert_true(r.q[7] == 0);
    step_to(&r, 1.02);
    assert_true(r.q[7] > 1e-3);
    assert_true(fastest(&r, 1 + BOXES, SLEEPERS - BOXES) == 0);
    run_destroy(&r);
}

static void sleeping_changes_nothing(void **state)
{
    (void)state;
    double asleep = difference("auto", 1e-12, 0.9), woken = difference("auto", 1e-12, 1.2);
    assert_true(asleep < 1e-13);
    assert_true(woken < 1e-9);
}

/* Nobody sleeps unless it is asked for. */
static void sleep_is_off_by_default(void **state)
{
    (void)state;
    world w = household("false");
    run r = run_create(&w, 1e-3, 2, 0);
    step_to(&r, 0.9);
    assert_true(fastest(&r, 1, SLEEPERS) > 0);
    run_destroy(&r);
}

/* Contacts sleep, on a floor. */
static void add_floor(world *w)
{
    add_shape(w, "floor", "plane");
    add_element(w, "contact", "contact", "sleep", "true");
    add_law(w, "contact", "gap", "unilateral");
    add_law(w, "contact", "slip", "friction", "mu", "0.5");
    add_force(w, "weight", "gravity", "acceleration", "0 0 -9.81");
}

/* A box under 3 N, which friction of 4.905 N holds, until they become 6 N at 1 s. */
static void forces_wake(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "box", "body", "mass", "1", "inertia", "0.0067", "position", "0 0 0.1");
    add_shape(&w, "box", "box", "size", "0.2 0.2 0.2", "on", "box");
    add_floor(&w);
    add_force(&w, "push", "load", "on", "box.x'", "force", "3+3*step(t-1)");
    run r = run_create(&w, 1e-3, 2, 1e-12);
    step_to(&r, 0.5);
    assert_true(fastest(&r, 0, 1) == 0);
    step_to(&r, 2);
    assert_near(r.u[0], 6 - 0.5 * 9.81, 2e-3);
    run_destroy(&r);
}

/* A state that is copied while bodies sleep leads another simulation to the same bits. */
static void saved_states_sleep_on(void **state)
{
    (void)state;
    world w[2] = {household("true"), household("true")};
    run whole = run_create_by(&w[0], "auto", 1e-3, 2, 0);
    run rest = run_create_by(&w[1], "auto", 1e-3, 2, 0);
    step_to(&whole, 0.7);
    const ss_state *saved = ss_simulation_state(whole.simulation);
    size_t bytes = ss_state_bytes(saved);
    assert_ok(&w[1],
              ss_state_restore(w[1].model, bytes, saved, ss_simulation_state(rest.simulation)));
    run_look(&rest);
    step_to(&whole, 1.1);
    step_to(&rest, 1.1);
    assert_memory_equal(ss_simulation_state(whole.simulation), ss_simulation_state(rest.simulation),
                        bytes);
    run_destroy(&whole);
    run_destroy(&rest);
}

/* A ball under 5 N that go at 0.5 s. Who goes back to a state of then has forgotten what came after it. */
static void balls_remember_nothing_but_the_state(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "ball", "body", "mass", "1", "inertia", "0.004", "position", "0 0 0.1");
    add_shape(&w, "ball", "sphere", "radius", "0.1", "on", "ball");
    add_floor(&w);
    add_force(&w, "push", "load", "on", "ball.z'", "force", "-5*step(0.5-t)");
    run r = run_create(&w, 1e-3, 2, 1e-12);
    step_to(&r, 0.5);
    assert_near(carried(&r), 14.81, 1e-9);
    size_t bytes = ss_state_bytes(ss_simulation_state(r.simulation));
    void *saved = malloc(bytes);
    memcpy(saved, ss_simulation_state(r.simulation), bytes);
    step_to(&r, 0.6);
    assert_ok(&w, ss_state_restore(w.model, bytes, saved, ss_simulation_state(r.simulation)));
    free(saved);
    run_step(&r);
    assert_near(carried(&r), 9.81, 1e-9);
    run_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bodies_sleep),
        cmocka_unit_test(coarse_solvers_sleep),
        cmocka_unit_test(who_is_met_wakes),
        cmocka_unit_test(sleeping_changes_nothing),
        cmocka_unit_test(sleep_is_off_by_default),
        cmocka_unit_test(forces_wake),
        cmocka_unit_test(saved_states_sleep_on),
        cmocka_unit_test(balls_remember_nothing_but_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
