/* test_augmented_order.c: the order of smooth steps, constraints without drift, energies. */
#include "simulation/run_augmented.h"

static const double G = 9.81;

/* What a run is measured by: its error at the end. */
typedef double (*error_fn)(const char *step_max, const char *order, const char *substeps);

/* Slope of log(error) over log(Δt_max) from two step sizes, the second half of the first. */
static double slope(error_fn error, const char *large, const char *small, int order,
                    const char *substeps)
{
    char text[8];
    snprintf(text, sizeof text, "%d", order);
    return log2(error(large, text, substeps) / error(small, text, substeps));
}

/* m = 1, c = 9, d = 1: forces that depend on velocities. */
static double damped_oscillator(const char *step_max, const char *order, const char *substeps)
{
    world w = moving_world();
    run r;
    add_system(&w, "mass", "point", "dim", "1", "mass", "1", "position", "1");
    add_force(&w, "spring", "load", "on", "x", "force", "-9*x-x'");
    run_augmented(&w, &r, "step_max", step_max, "step_min", "1e-9", "order", order, "end", "2",
                  "growth", "1000", strcmp(order, "1") ? "substeps" : (const char *)NULL, substeps);
    run_to_end(&r);
    double omega = sqrt(9 - 0.25);
    double x = exp(-1) * (cos(2 * omega) + 0.5 / omega * sin(2 * omega));
    double error = fabs(r.q[0] - x);
    run_destroy(&r);
    return error;
}

static void smooth_forces_have_every_order(void **state)
{
    (void)state;
    for (int p = 1; p <= 4; p++) {
        assert_near(slope(damped_oscillator, "0.02", "0.01", p, "odd"), p, 0.15);
        assert_near(slope(damped_oscillator, "0.02", "0.01", p, "growing"), p, 0.15);
    }
    for (int p = 1; p <= 5; p++)
        assert_near(slope(damped_oscillator, "0.02", "0.01", p, "all"), p, 0.15);
}

/* Steps of the scheme for a free mass, in smooth steps of order 7. */
static double tries_of_order_7(const char *substeps)
{
    world w = moving_world();
    run r;
    add_system(&w, "mass", "point", "dim", "1", "mass", "1", "velocity", "1");
    run_augmented(&w, &r, "step_max", "0.1", "step_min", "1e-9", "order", "7", "end", "2", "growth",
                  "1000", "substeps", substeps);
    run_to_end(&r);
    double tries = (double)ss_state_statistics(ss_simulation_state(r.simulation))->tries;
    run_destroy(&r);
    return tries;
}

/* 1 + 3 + 5 + 7 + 9 + 11 + 13 = 49; with 13 and 17 for the last two 55; 1 + 2 + … + 7 = 28. */
static void substeps_are_those_asked_for(void **state)
{
    (void)state;
    double growing = tries_of_order_7("growing"), odd = tries_of_order_7("odd");
    double all = tries_of_order_7("all"), steps = (odd - all) / (49 - 28);
    assert_true(steps >= 20);
    assert_near(growing - odd, (55 - 49) * steps, 0);
}

/* A point on a rod, let go from the side; and when it is at the lowest point. */
static world swinging_point(char *end, size_t size)
{
    world w = moving_world();
    add_system(&w, "bob", "point", "dim", "2", "mass", "0.6", "position", "1 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(&w, "rod", "distance", "system", "bob", "to_point", "0 0", "length", "1");
    add_law(&w, "rod", "gap", "bilateral");
    snprintf(end, size, "%.17g", elliptic_K(sqrt(0.5)) / sqrt(G));
    return w;
}

/* A point on a rod, let go from the side, reaches the lowest point after K/√g: how far from there
 * it is at that time, and how much energy is missing. */
static void swing(const char *step_max, const char *order, double *distance, double *energy)
{
    char end[32];
    world w = swinging_point(end, sizeof end);
    run r;
    run_augmented(&w, &r, "step_max", step_max, "step_min", "1e-9", "order", order, "end", end,
                  "growth", "1000");
    double start = run_balance(&r);
    run_to_end(&r);
    assert_near(hypot(r.q[0], r.q[1]), 1, 1e-14); /* no drift, whatever the error */
    assert_near((r.q[0] * r.u[0] + r.q[1] * r.u[1]) / hypot(r.u[0], r.u[1]), 0, 1e-14);
    *distance = fabs(r.q[0]);
    *energy = fabs(run_balance(&r) - start);
    run_destroy(&r);
}

static double pendulum(const char *step_max, const char *order, const char *substeps)
{
    double distance, energy;
    (void)substeps;
    swing(step_max, order, &distance, &energy);
    return distance;
}

static double pendulum_energy(const char *step_max, const char *order, const char *substeps)
{
    double distance, energy;
    (void)substeps;
    swing(step_max, order, &distance, &energy);
    return energy;
}

static void constraints_have_every_order(void **state)
{
    (void)state;
    for (int p = 1; p <= 5; p++) {
        assert_true(slope(pendulum, "0.04", "0.02", p, "odd") > p - 0.15);
        assert_true(slope(pendulum_energy, "0.01", "0.005", p, "odd") > p - 0.15);
    }
}

/* Sliding with friction on a plane while the path bends: the direction of friction turns. Compared
 * with the highest order. */
static void slide(const char *step_max, const char *order, double *q)
{
    world w = moving_world();
    run r;
    add_system(&w, "mass", "point", "dim", "2", "mass", "1", "velocity", "2 -0.2");
    add_force(&w, "pull", "load", "on", "x y", "force", "-1 -2");
    add_element(&w, "table", "expression", "slip", "x' y'");
    add_law(&w, "table", "slip", "friction", "bound", "1");
    run_augmented(&w, &r, "step_max", step_max, "step_min", "1e-9", "order", order, "end", "1",
                  "growth", "1000");
    run_to_end(&r);
    memcpy(q, r.q, 2 * sizeof *q);
    run_destroy(&r);
}

static double sliding(const char *step_max, const char *order, const char *substeps)
{
    (void)substeps;
    double exact[2], q[2];
    slide("0.02", "6", exact);
    slide(step_max, order, q);
    return hypot(q[0] - exact[0], q[1] - exact[1]);
}

static void sliding_has_every_order(void **state)
{
    (void)state;
    for (int p = 1; p <= 4; p++)
        assert_near(slope(sliding, "0.08", "0.04", p, "odd"), p, 0.15);
}

/* Tolerances decide on order and step: the error follows them. */
static void tolerances_are_met(void **state)
{
    (void)state;
    const char *tolerance[] = {"1e-5", "1e-7", "1e-9", "1e-11"};
    double omega = sqrt(9 - 0.25), x = exp(-1) * (cos(2 * omega) + 0.5 / omega * sin(2 * omega));
    uint64_t tries = 0;
    for (int i = 0; i < 4; i++) {
        world w = moving_world();
        run r;
        ss_step step;
        int highest = 0;
        add_system(&w, "mass", "point", "dim", "1", "mass", "1", "position", "1");
        add_force(&w, "spring", "load", "on", "x", "force", "-9*x-x'");
        run_augmented(&w, &r, "step_max", "0.5", "step_min", "1e-9", "end", "2", "absolute_q",
                      tolerance[i], "absolute_u", tolerance[i], "relative_q", "0", "relative_u",
                      "0");
        while (!ss_simulation_done(r.simulation)) {
            assert_ok(&w, ss_simulation_advance(r.simulation, &step));
            highest = step.order > highest ? step.order : highest;
        }
        run_look(&r);
        assert_near(r.q[0], x, 10 * strtod(tolerance[i], NULL));
        assert_true(highest >= 3 && highest <= 6);
        assert_true(run_sums(&r)->tries > tries);
        tries = run_sums(&r)->tries;
        run_destroy(&r);
    }
    assert_true(tries < 4000);
}

/* Forces are impulses over the step: those of a pendulum's rod at the lowest point are 3 m g. */
static void forces_are_mean_values(void **state)
{
    (void)state;
    char end[32];
    world w = swinging_point(end, sizeof end);
    run r;
    run_augmented(&w, &r, "step_max", "0.01", "step_min", "1e-9", "end", end);
    double h = 0, P = 0, before = 0;
    while (!ss_simulation_done(r.simulation)) {
        before = r.q[1];
        run_step(&r);
        h = ss_state_dt(ss_simulation_state(r.simulation));
        P = run_P(&r)[0];
    }
    /* λ = -3 m g cos along the rod, cos = -y; the mean over the last step lies between its ends */
    assert_true(-P / h < 3 * 0.6 * G * 1 && -P / h > 3 * 0.6 * G * -before);
    run_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_forces_have_every_order),
        cmocka_unit_test(substeps_are_those_asked_for),
        cmocka_unit_test(constraints_have_every_order),
        cmocka_unit_test(sliding_has_every_order),
        cmocka_unit_test(tolerances_are_met),
        cmocka_unit_test(forces_are_mean_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
