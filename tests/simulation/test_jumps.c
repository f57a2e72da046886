/* test_jumps.c: what is not smooth besides laws: loads and speeds that jump, faces that end. */
#include "simulation/run_augmented.h"
#include "simulation/run_event.h"

static const char *const methods[] = {"rkf45", "adams", "bdf", "ida"};
enum { METHODS = 4 };
static const double ACCURACY = 2e-8; /* with 1e-10 in a step */

static void put_mass(world *w, const char *force)
{
    add_system(w, "mass", "point", "dim", "1", "mass", "1");
    add_force(w, "pull", "load", "on", "x", "force", force);
}

/* 3 N as far as x = 0.2 and -5 N beyond: from rest at 0 it is there again after 2 v/3 + 2 v/5, with v² = 2 · 3 · 0.2. */
static const char *const BARRIER = "x<0.2?3:-5";

static double period(void)
{
    double v = sqrt(1.2);
    return 2 * v / 3 + 2 * v / 5;
}

static void a_place_where_a_load_jumps(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        world w = moving_world();
        put_mass(&w, BARRIER);
        run r = event_run(&w, methods[i], period());
        run_to_end(&r);
        assert_near(r.q[0], 0, ACCURACY);
        assert_near(r.u[0], 0, 5 * ACCURACY);
        run_destroy(&r);
    }
}

static void augmented_steps_find_it(void **state)
{
    (void)state;
    const char *ways[] = {"look_ahead", "regula_falsi"};
    char end[32];
    snprintf(end, sizeof end, "%.17g", 3 * period());
    for (int i = 0; i < 2; i++) {
        world w = moving_world();
        run r;
        put_mass(&w, BARRIER);
        run_augmented(&w, &r, "step_max", "0.1", "step_min", "1e-11", "end", end, "localize",
                      ways[i]);
        run_to_end(&r);
        assert_near(r.q[0], 0, 1e-9);
        assert_near(r.u[0], 0, 1e-9);
        assert_true(run_sums(&r)->steps < 1000);
        run_destroy(&r);
    }
}

/* Without `breaks`. */
static void times_at_which_a_load_jumps(void **state)
{
    (void)state;
    const char *force = "t<0.303?2:t<0.757?-1:0";
    double u = 2 * 0.303 - 0.454,
           x = 0.303 * 0.303 + 2 * 0.303 * 0.454 - 0.454 * 0.454 / 2 + 0.243 * u;
    world w = moving_world();
    run r;
    put_mass(&w, force);
    run_augmented(&w, &r, "step_max", "0.1", "step_min", "1e-11", "end", "1");
    run_to_end(&r);
    assert_near(r.u[0], u, 1e-10);
    assert_near(r.q[0], x, 1e-10);
    run_destroy(&r);
    w = moving_world();
    put_mass(&w, force);
    r = event_run(&w, "rkf45", 1);
    run_to_end(&r);
    assert_near(r.u[0], u, 1e-9);
    assert_near(r.q[0], x, 1e-9);
    run_destroy(&r);
}

static run driven(world *w, const char *method, double end, const char *speed, const char *limit)
{
    add_system(w, "cart", "point", "dim", "1", "mass", "2");
    add_element(w, "drive", "expression", "slip", "x'");
    add_law(w, "drive", "slip", "motor", "speed", speed, "limit", limit);
    return event_run(w, method, end);
}

static void a_motor_is_followed(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        world w = moving_world();
        run r = driven(&w, methods[i], 1, "sin(t)", "inf");
        run_to_end(&r);
        assert_near(r.u[0], sin(1), 5 * ACCURACY);
        assert_near(r.q[0], 1 - cos(1), 5 * ACCURACY);
        assert_near(run_balance(&r), 0, 5 * ACCURACY);
        run_destroy(&r);
    }
}

/* A jump of the speed is an impact; its work is P (γ⁻ + γ⁺)/2. At 0.2 s there is an output, too. */
static void a_motor_that_jumps(void **state)
{
    (void)state;
    const char *speeds[] = {"t<0.305?1:3", "t<0.2?1:3"};
    const double times[] = {0.305, 0.2};
    for (int i = 0; i < 2 * METHODS; i++) {
        world w = moving_world();
        double t = times[i % 2];
        run r = driven(&w, methods[i / 2], 1, speeds[i % 2], "inf");
        run_to_end(&r);
        assert_near(r.u[0], 3, 1e-8);
        assert_near(r.q[0], t + 3 * (1 - t), 1e-8);
        assert_near(run_balance(&r), 0, 1e-6);
        run_destroy(&r);
    }
}

/* So it is in augmented steps, with and without a break there. */
static void augmented_steps_jump_with_it(void **state)
{
    (void)state;
    const char *breaks[] = {"0.2", "0.9"};
    for (int i = 0; i < 2; i++) {
        world w = moving_world();
        run r;
        add_system(&w, "cart", "point", "dim", "1", "mass", "2");
        add_element(&w, "drive", "expression", "slip", "x'");
        add_law(&w, "drive", "slip", "motor", "speed", "t<0.2?1:3");
        run_augmented(&w, &r, "step_max", "0.1", "step_min", "1e-11", "end", "1", "breaks",
                      breaks[i]);
        run_to_end(&r);
        assert_near(r.u[0], 3, 1e-8);
        assert_near(r.q[0], 0.2 + 3 * 0.8, 1e-8);
        run_destroy(&r);
    }
}

/* 4 N bring 2 kg to 3 m/s in 1.5 s. */
static void a_motor_with_a_limit(void **state)
{
    (void)state;
    world w = moving_world();
    run r = driven(&w, "rkf45", 2, "3", "4");
    seen s = run_seen(&r);
    assert_near(last_switch(&s, 0, SS_MODE_CONSTRAINT), 1.5, 1e-10);
    assert_near(r.u[0], 3, 1e-10);
    assert_near(r.q[0], 1.5 * 1.5 + 3 * 0.5, 1e-10);
    run_destroy(&r);
}

/* ---- Constraints whose speed jumps ---- */

static const char *const WAYS[] = {"look_ahead", "regula_falsi"};
static const char *const BREAKS[] = {"0.2", "0.9"}; /* where it jumps, and elsewhere */

/* At every state on the way, that of the jump among them. */
static void run_balanced(run *r, double within)
{
    ss_step step;
    double start = run_balance(r);
    while (!ss_simulation_done(r->simulation)) {
        assert_ok(r->w, ss_simulation_advance(r->simulation, &step));
        run_look(r);
        assert_near(run_balance(r), start, within);
    }
}

/* 1 kg on what moves with 2 m/s and, from 0.2 s on, with 3: 4 N bring it to that in 0.25 s. */
static void put_on_belt(world *w, bool motor)
{
    add_system(w, "mass", "point", "dim", "1", "mass", "1", "velocity", "2");
    add_element(w, "belt", "expression", "slip", motor ? "x'" : "x'-(t<0.2?2:3)");
    if (motor)
        add_law(w, "belt", "slip", "motor", "speed", "t<0.2?2:3", "limit", "4");
    else
        add_law(w, "belt", "slip", "friction", "bound", "4");
}

static void assert_carried_on(run *r, double within)
{
    assert_near(r->u[0], 3, within);
    assert_near(r->q[0], 2 * 0.2 + 2.5 * 0.25 + 3 * 0.55, within);
    run_destroy(r);
}

static void a_belt_that_jumps(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * METHODS; i++) {
        world w = moving_world();
        put_on_belt(&w, i % 2);
        run r = event_run(&w, methods[i / 2], 1);
        run_balanced(&r, ACCURACY);
        assert_carried_on(&r, ACCURACY);
    }
    for (int i = 0; i < 8; i++) {
        world w = moving_world();
        run r;
        put_on_belt(&w, i % 2);
        run_augmented(&w, &r, "step_max", "0.1", "step_min", "1e-11", "end", "1", "localize",
                      WAYS[i / 2 % 2], "breaks", BREAKS[i / 4]);
        run_balanced(&r, 1e-9);
        assert_carried_on(&r, 1e-9);
    }
}

static void assert_slides(const char *slip, const char *bound, double end, double x, double u)
{
    char until[32];
    snprintf(until, sizeof until, "%.17g", end);
    for (int i = 0; i < METHODS + 2; i++) {
        world w = moving_world();
        run r;
        add_system(&w, "mass", "point", "dim", "1", "mass", "1");
        add_element(&w, "belt", "expression", "slip", slip);
        add_law(&w, "belt", "slip", "friction", "bound", bound);
        if (i < METHODS)
            r = event_run(&w, methods[i], end);
        else
            run_augmented(&w, &r, "step_max", "0.1", "step_min", "1e-11", "end", until, "localize",
                          WAYS[i - METHODS]);
        run_balanced(&r, 5 * ACCURACY);
        assert_near(r.u[0], u, ACCURACY);
        assert_near(r.q[0], x, ACCURACY);
        run_destroy(&r);
    }
}

/* 4 N on 1 kg: it comes to 2 m/s at 0.5 s. At 0.6 s the belt turns back, at 0.8 s, where the mass has 1.2 m/s, forth again: the mass
 * slides the other way, and sticks at 1 s. */
static void sliding_that_a_jump_turns_back(void **state)
{
    (void)state;
    double x = 0.5 + 2 * 0.1 + 1.6 * 0.2 + 1.6 * 0.2 + 2 * 0.2;
    assert_slides("x'-(t<0.6?2:t<0.8?-2:2)", "4", 1.2, x, 2);
}

/* A belt gains 3 m/s² and stops every 1/3 s, where sin πx of its floor is zero but for rounding. The mass gains 1.3 m/s², loses as much
 * after 1/3 s until the belt is as fast again, then gains. */
static void a_belt_like_a_saw(void **state)
{
    (void)state;
    double a = 1.3, v = a / 3, meet = v / (3 + a), low = v - a * meet, rest = 0.6 - 1 / 3.0 - meet;
    double x = v / 6 + (v + low) / 2 * meet + low * rest + a * rest * rest / 2;
    assert_slides("x'-3*t+floor(3*t)", "1.3", 0.6, x, low + a * rest);
}

/* Steps of a fixed order go on from their least one, whatever its size: the jump is found to 1e-3 s. */
static void fixed_orders_do_not_see_its_other_side(void **state)
{
    (void)state;
    world w = moving_world();
    run r;
    put_on_belt(&w, false);
    run_augmented(&w, &r, "step_max", "0.1", "K_t", "1", "order", "3", "end", "1");
    run_balanced(&r, 1e-9);
    assert_carried_on(&r, 1e-3);
}

/* 1 + sin(t - 0.305) from 0.305 s on, from 1: x = 1 + 1 - cos 0.695. Where a formula has a kink the order is kept. */
static double error_after_kink(const char *step_max)
{
    world w = moving_world();
    run r;
    add_system(&w, "mass", "point", "dim", "1", "mass", "1", "velocity", "1");
    add_element(&w, "belt", "expression", "slip", "x'-1-(t<0.305?0:sin(t-0.305))");
    add_law(&w, "belt", "slip", "friction", "bound", "4");
    run_augmented(&w, &r, "step_max", step_max, "step_min", "1e-9", "order", "3", "end", "1");
    run_to_end(&r);
    double error = fabs(r.q[0] - 2 + cos(0.695));
    run_destroy(&r);
    return error;
}

static void orders_are_kept_at_a_kink(void **state)
{
    (void)state;
    assert_true(error_after_kink("0.025") <
                error_after_kink("0.1") / 40); /* 64, and what is left of it */
}

/* A wall begins to move with 1 m/s: a mass that lies on it is hit, and flies off with 1 + ε; one that hangs on it gets 1 N s. */
static void put_on_wall(world *w, const char *gap, const char *law, const char *epsilon)
{
    add_system(w, "mass", "point", "dim", "1", "mass", "1");
    add_element(w, "wall", "expression", "gap", gap);
    add_law(w, "wall", "gap", law, "restitution", epsilon);
}

static const struct hit {
    const char *gap, *law, *epsilon;
    double t, speed;
} HITS[] = {
    {"x-max(0,t-0.2)", "unilateral", "0.5", 0.2, 1.5}, /* there is an output, too */
    {"x-max(0,t-0.305)", "unilateral", "0.5", 0.305, 1.5},
    {"x-max(0,t-0.2)", "bilateral", "0", 0.2, 1},
    {"x-max(0,t-0.305)", "bilateral", "0", 0.305, 1},
};
enum { N_HITS = sizeof HITS / sizeof *HITS };

static void assert_hit(run *r, const struct hit *hit, double within)
{
    run_balanced(r, within);
    assert_near(r->u[0], hit->speed, within);
    assert_near(r->q[0], hit->speed * (1 - hit->t), within);
    run_destroy(r);
}

static void a_wall_that_begins_to_move(void **state)
{
    (void)state;
    for (int i = 0; i < N_HITS; i++) {
        const struct hit *hit = &HITS[i];
        for (int k = 0; k < METHODS; k++) {
            world w = moving_world();
            put_on_wall(&w, hit->gap, hit->law, hit->epsilon);
            run r = event_run(&w, methods[k], 1);
            assert_hit(&r, hit, ACCURACY);
        }
        for (int k = 0; k < 4; k++) {
            world w = moving_world();
            run r;
            put_on_wall(&w, hit->gap, hit->law, hit->epsilon);
            run_augmented(&w, &r, "step_max", "0.1", "step_min", "1e-10", "end", "1", "localize",
                          WAYS[k % 2], "breaks", BREAKS[k / 2]);
            assert_hit(&r, hit, 1e-9);
        }
    }
}

/* ---- A box that slides off a table ---- */

static const double MU = 0.3, G = 9.81, A = 0.1, H = 0.1, V = 2; /* it is 2 A long and H high */

static world box_on_table(void)
{
    world w = moving_world();
    add_system(&w, "box", "body", "position", "0.1 0.013 0.05", "velocity", "2 0 0 0 0 0");
    add_shape(&w, "box", "box", "size", "0.2 0.2 0.1", "on", "box", "density", "1000");
    add_shape(&w, "table", "box", "size", "1 1 0.1", "at", "0 0 -0.05");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_law(&w, "contact", "slip", "friction", "mu", "0.3");
    return w;
}

/* Friction moves the resultant of the normal forces ahead of the centre by μ H/2. When that comes to the edge, at x = 0.5, the
 * box begins to tip: with the distance d of the edge from the centre J α = N (μ H/2 - d), so that at first
 * ω = (m g v/J) (t - t*)²/2. */
static void a_box_tips_over_the_edge(void **state)
{
    (void)state;
    double way = 0.4 - MU * H / 2, b = MU * G;
    double tips = (V - sqrt(V * V - 2 * b * way)) / b, v = V - b * tips;
    double inertia = (H * H + 4 * A * A) / 12, late = 1e-3; /* over m */
    world w = box_on_table();
    run r = event_run(&w, "rkf45", tips - 1e-5);
    run_to_end(&r);
    assert_near(r.q[0], 0.1 + V * run_time(&r) - b * run_time(&r) * run_time(&r) / 2, 1e-9);
    assert_near(r.u[4], 0, 1e-9);
    run_destroy(&r);
    w = box_on_table();
    r = event_run(&w, "rkf45", tips + late);
    run_to_end(&r);
    double omega = G * v / inertia * late * late / 2;
    assert_near(r.u[4], omega, 0.01 * omega);
    run_destroy(&r);
}

/* Augmented steps see the same: four corners that leave the table, edges that take their place, and the last of them. */
static void both_follow_it_into_the_air(void **state)
{
    (void)state;
    double q[7], u[6];
    world w = box_on_table();
    run r = event_run(&w, "rkf45", 0.4);
    run_to_end(&r);
    memcpy(q, r.q, sizeof q);
    memcpy(u, r.u, sizeof u);
    run_destroy(&r);
    w = box_on_table();
    run_augmented(&w, &r, "step_max", "0.005", "step_min", "1e-11", "end", "0.4");
    run_to_end(&r);
    for (int i = 0; i < 7; i++)
        assert_near(r.q[i], q[i],
                    1e-6); /* dependent constraints: the end of rest is found to 1e-7 s */
    for (int i = 0; i < 6; i++)
        assert_near(r.u[i], u[i], 1e-5);
    run_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_where_a_load_jumps),
        cmocka_unit_test(augmented_steps_find_it),
        cmocka_unit_test(times_at_which_a_load_jumps),
        cmocka_unit_test(a_motor_is_followed),
        cmocka_unit_test(a_motor_that_jumps),
        cmocka_unit_test(augmented_steps_jump_with_it),
        cmocka_unit_test(a_motor_with_a_limit),
        cmocka_unit_test(a_belt_that_jumps),
        cmocka_unit_test(sliding_that_a_jump_turns_back),
        cmocka_unit_test(a_belt_like_a_saw),
        cmocka_unit_test(fixed_orders_do_not_see_its_other_side),
        cmocka_unit_test(orders_are_kept_at_a_kink),
        cmocka_unit_test(a_wall_that_begins_to_move),
        cmocka_unit_test(a_box_tips_over_the_edge),
        cmocka_unit_test(both_follow_it_into_the_air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
