/* test_space.c: what holds for bodies in space whatever they do. */

#include "support/test.h"
#include "watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEAR(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))

/* ---- One ball on a plane ---- */

/* Sliding ends at 2 v0 / (7 μ g) with 5/7 v0, to 1e-4 of both. */
static void slides_until_it_rolls(void **state)
{
    (void)state;
    run r;
    const char *overrides[] = {"v0=3", "mu=0.4", NULL};
    open_run(&r, "billiard", overrides);
    finish_run(&r);
    double t = 2 * 3 / (7 * 0.4 * 9.81);
    NEAR(event_time(&r, "contact.slip", "stick", 0), t, 1e-4 * t);
    NEAR(velocity(&r, "ball.x'"), 5.0 / 7 * 3, 1e-12);
    NEAR(velocity(&r, "ball.wy"), 5.0 / 7 * 3 / 0.03, 1e-10);
    /* way of the slide, and of the rest at constant speed */
    double way = 3 * t - 0.4 * 9.81 * t * t / 2 + 5.0 / 7 * 3 * (0.4 - t);
    NEAR(position(&r, "ball.x"), way, 1e-7);
    close_run(&r);
}

/* From rest on a slope: does it slip after half a second? */
static double slip_on_slope(double tangent)
{
    run r;
    char slope[64];
    snprintf(slope, sizeof slope, "slope=%.17g", atan(tangent));
    const char *overrides[] = {"v0=0", "mu=0.2", slope, "simulation.step=1e-3", NULL};
    open_run(&r, "billiard", overrides);
    finish_run(&r);
    double slip = velocity(&r, "ball.x'") - 0.03 * velocity(&r, "ball.wy");
    NEAR(velocity(&r, "ball.x'"),
         9.81 * sin(atan(tangent)) * 0.4 -
             fmin(9.81 * sin(atan(tangent)) * 2 / 7, 0.2 * 9.81 * cos(atan(tangent))) * 0.4,
         1e-9);
    close_run(&r);
    return slip;
}

static void rolls_down_gentle_slopes_only(void **state)
{
    (void)state;
    assert_true(fabs(slip_on_slope(3.5 * 0.2 * (1 - 1e-6))) < 1e-12);
    assert_true(fabs(slip_on_slope(3.5 * 0.2 * 0.5)) < 1e-12);
    assert_true(slip_on_slope(3.5 * 0.2 * (1 + 1e-6)) > 1e-8);
    assert_true(slip_on_slope(3.5 * 0.2 * 2) > 0.1);
}

/* The loss of speed does not depend on the heading, to 1e-9: round cones. */
static void resistance_does_not_depend_on_heading(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        run r;
        char heading[64];
        snprintf(heading, sizeof heading, "heading=%.17g", 0.4 * i);
        const char *overrides[] = {heading, "simulation.end=0.1", NULL};
        open_run(&r, "billiard", overrides);
        finish_run(&r);
        double vx = velocity(&r, "ball.x'"), vy = velocity(&r, "ball.y'");
        NEAR(hypot(vx, vy), 2 - 0.25 * 9.81 * 0.1, 1e-9);
        NEAR(vx * sin(0.4 * i) - vy * cos(0.4 * i), 0, 1e-9);
        close_run(&r);
    }
}

/* ---- Balances ---- */

typedef struct momenta {
    double P[3], L[3], drift[6]; /* of the beginning; the largest change */
    bool begun;
} momenta;

static void add_cross(double factor, const double a[3], const double b[3], double c[3])
{
    c[0] += factor * (a[1] * b[2] - a[2] * b[1]);
    c[1] += factor * (a[2] * b[0] - a[0] * b[2]);
    c[2] += factor * (a[0] * b[1] - a[1] * b[0]);
}

/* Mass and inertia of the balls of cluster.yaml. */
static void sum_momenta(const run *r, const ss_state *state, double P[3], double L[3])
{
    const ss_model *model = ss_scene_model(r->scene);
    for (int s = 0; s < ss_model_sizes(model).n_systems; s++) {
        ss_system_info info = ss_model_system(model, s);
        const double *q = ss_state_q(state) + info.q_offset, *u = ss_state_u(state) + info.u_offset;
        int i = info.name[strlen("ball_")] - '0';
        double radius = 0.1 * (1 - 0.1 * i), m = 500 * 4.0 / 3 * acos(-1) * pow(radius, 3);
        for (int k = 0; k < 3; k++) {
            P[k] += m * u[k];
            L[k] += 0.4 * m * radius * radius * u[3 + k];
        }
        add_cross(m, q, u, L);
    }
}

static void look_at_momenta(run *r, const ss_state *state)
{
    momenta *m = r->user;
    double P[3] = {0}, L[3] = {0};
    sum_momenta(r, state, P, L);
    for (int k = 0; k < 3; k++) {
        if (!m->begun) {
            m->P[k] = P[k];
            m->L[k] = L[k];
        }
        m->drift[k] = fmax(m->drift[k], fabs(P[k] - m->P[k]));
        m->drift[3 + k] = fmax(m->drift[3 + k], fabs(L[k] - m->L[k]));
    }
    m->begun = true;
}

static void momenta_stay(void **state)
{
    (void)state;
    static const char *const general[] = {"solver.order=symmetric", NULL};
    for (int form = 0; form < 2; form++) {
        run r;
        momenta m = {.begun = false};
        open_run(&r, "cluster", form ? general : NULL);
        r.look = look_at_momenta;
        r.user = &m;
        finish_run(&r);
        assert_true(ss_state_statistics(r.state)->dissipated > 1); /* they did collide */
        assert_true(hypot(m.P[0], m.P[1]) > 1 && fabs(m.L[2]) > 1);
        for (int k = 0; k < 6; k++)
            NEAR(m.drift[k], 0, 2e-13);
        close_run(&r);
    }
}

/* ---- A closed box ---- */

/* 10⁵ steps without loss: nobody leaves, and the energy stays. */
static void nothing_leaves_a_closed_box(void **state)
{
    (void)state;
    run r;
    double furthest = 0;
    ss_energy begin, end;
    const char *overrides[] = {"simulation.end=100", "v=1", "n=2", NULL};
    open_run(&r, "closed_box", overrides);
    ss_work *work = ss_simulation_work(ss_scene_simulation(r.scene));
    assert_int_equal(ss_work_energy(work, r.state, &begin), SS_OK);
    r.look = look_at_surfaces;
    r.user = &furthest;
    finish_run(&r);
    assert_int_equal(ss_state_statistics(r.state)->steps, 100000);
    assert_int_equal(ss_work_energy(work, r.state, &end), SS_OK);
    /* nobody is deeper in a wall than the way of a step */
    assert_true(furthest < 0.5 + 0.01);
    NEAR(end.kinetic + end.potential, begin.kinetic + begin.potential, 1e-9 * begin.kinetic);
    close_run(&r);
}

/* Balls that fly 10 cm in a step at walls of 5 cm. */
static double farthest_of_fast_balls(const char *speed, const char *scheme, const char *epsilon,
                                     run *r)
{
    static double furthest;
    const char *overrides[] = {speed, scheme, epsilon, "n=2", "simulation.end=2", NULL};
    furthest = 0;
    open_run(r, "closed_box", overrides);
    r->look = look_at_surfaces;
    r->user = &furthest;
    finish_run(r);
    return furthest;
}

static void look_for_warning(const char *scheme, const char *epsilon, const char *advice)
{
    run r;
    assert_true(farthest_of_fast_balls("v=100", scheme, epsilon, &r) > 1); /* they left */
    assert_int_equal(r.n_warnings, 1);
    assert_non_null(strstr(r.warning, "t = "));
    assert_non_null(strstr(r.warning, "shape 'ball_"));
    assert_non_null(strstr(r.warning, "may pass through others; choose a smaller step"));
    assert_non_null(strstr(r.warning, advice));
    close_run(&r);
    assert_int_equal(r.n_warnings, 2);
    assert_non_null(strstr(r.warning, "more than half of their thickness in a step "));
}

static void look_for_none(const char *speed, const char *scheme, const char *epsilon)
{
    run r;
    double f = farthest_of_fast_balls(speed, scheme, epsilon, &r);
    assert_true(f < 0.52);
    close_run(&r);
    assert_int_equal(r.n_warnings, 0);
}

static void what_is_too_fast_is_warned_of(void **state)
{
    (void)state;
    look_for_warning("scheme.type=moreau", "epsilon=1", "looks ahead, e.g. moreau_stabilized");
    look_for_warning("scheme.type=moreau_stabilized", "epsilon=1", "no restitution");
    look_for_none("v=10", "scheme.type=moreau", "epsilon=1");
    look_for_none("v=100", "scheme.type=moreau_stabilized", "epsilon=0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slides_until_it_rolls),
        cmocka_unit_test(rolls_down_gentle_slopes_only),
        cmocka_unit_test(resistance_does_not_depend_on_heading),
        cmocka_unit_test(momenta_stay),
        cmocka_unit_test(nothing_leaves_a_closed_box),
        cmocka_unit_test(what_is_too_fast_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
