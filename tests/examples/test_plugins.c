/* test_plugins.c: every plugin of examples/ computes what it promises. */
#include "support/test.h"

#include <stickslip/stickslip.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double gravity = 9.81;

/* A scene of examples/, and where its run stands. */
typedef struct run {
    ss_context *context;
    ss_scene *scene;
    ss_simulation *simulation;
    const double *q, *u;
} run;

static void check(const run *r, ss_status status)
{
    if (status != SS_OK)
        fail_msg("%s: %s", ss_status_name(status), ss_context_message(r->context));
}

static void begin_as(run *r, const char *name, const ss_scene_options *options)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SS_EXAMPLES_DIR, name);
    *r = (run){0};
    assert_int_equal(ss_context_create(NULL, &r->context), SS_OK);
    ss_scene_options o = options ? *options : (ss_scene_options){0};
    o.allow_plugins = true;
    check(r, ss_scene_load(r->context, path, &o, &r->scene));
    r->simulation = ss_scene_simulation(r->scene);
    r->q = ss_state_q(ss_simulation_state(r->simulation));
    r->u = ss_state_u(ss_simulation_state(r->simulation));
}

static void begin_with(run *r, const char *name, int n_parameters, const char *const *parameters)
{
    ss_scene_options options = {.n_parameters = n_parameters, .parameters = parameters};
    begin_as(r, name, &options);
}

static void begin(run *r, const char *name)
{
    begin_with(r, name, 0, NULL);
}

static void end(run *r)
{
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->context);
}

static double now(const run *r)
{
    return ss_state_time(ss_simulation_state(r->simulation));
}

static ss_step advance(run *r)
{
    ss_step step = {0};
    assert_false(ss_simulation_done(r->simulation));
    check(r, ss_simulation_advance(r->simulation, &step));
    r->q = ss_state_q(ss_simulation_state(r->simulation));
    r->u = ss_state_u(ss_simulation_state(r->simulation));
    return step;
}

static void finish(run *r)
{
    while (!ss_simulation_done(r->simulation))
        advance(r);
}

/* Steps until law 0 changes to a mode; returns the time. */
static double until_mode(run *r, ss_mode mode)
{
    for (;;) {
        ss_step step = advance(r);
        for (int i = 0; i < step.n_switches; i++)
            if (step.switches[i].law == 0 && (step.switches[i].to != 0) == (mode != 0))
                return now(r);
    }
}

static void expect_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.15g is not within %g of %.15g", actual, tolerance, expected);
}

/* Each component slows down on its own with bound/m, and stops after v²/(2 bound/m). The midpoint rule is exact for a
 * constant force but for the step in which a component stops. */
static void test_square_friction(void **state)
{
    (void)state;
    run r;
    begin(&r, "square_friction");
    double a = 3.0 / 2.0, v[2] = {1.5, 0.6}, dt = 1e-3;
    finish(&r);
    for (int i = 0; i < 2; i++) {
        expect_near(r.q[i], v[i] * v[i] / (2 * a), a * dt * dt);
        expect_near(r.u[i], 0.0, 1e-9);
    }
    end(&r);
}

/* From rest at φ0 to the wall it takes K(sin(φ0/2)) √(L/g); it rises again to the angle φ1 with
 * 1 - cos φ1 = ε² (1 - cos φ0). */
static void test_pendulum(void **state)
{
    (void)state;
    run r;
    begin(&r, "pendulum");
    double start = 2 * acos(-1.0) / 3, length = 0.8, epsilon = 0.6, dt = 1e-5;

    /* K(k) by the arithmetic-geometric mean of 1 and √(1-k²). */
    double a = 1.0, b = cos(start / 2);
    for (int i = 0; i < 10; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    double fall = acos(-1.0) / (2 * a) * sqrt(length / gravity);
    expect_near(until_mode(&r, SS_MODE_CONSTRAINT), fall, 2 * dt);
    assert_true(r.u[0] > 0);

    while (r.u[0] > 0)
        advance(&r);
    double top = acos(1 - epsilon * epsilon * (1 - cos(start)));
    expect_near(r.q[0], top, 1e-4);
    end(&r);
}

/* Without friction the bead has turned its height into speed at the bottom; with the friction angle above the slope it
 * stays where it is. */
static void test_parabola(void **state)
{
    (void)state;
    run r;
    double k = 4, x0 = 0.25, dt = 1e-4;
    const char *const frictionless[] = {"mu=0"};
    begin_with(&r, "parabola", 1, frictionless);
    while (r.q[0] > 0)
        advance(&r);
    double speed = sqrt(gravity * k * x0 * x0);
    expect_near(hypot(r.u[0], r.u[1]), speed, 10 * dt * speed);
    end(&r);

    const char *const rough[] = {"mu=1.01"}; /* the slope at x0 is 1 */
    begin_with(&r, "parabola", 1, rough);
    finish(&r);
    expect_near(r.q[0], x0, 1e-9);
    end(&r);
}

/* The glue gives way when the pull reaches its strength, and is gone when x = rate s³/(6 m) has grown to its reach, s
 * after that. From then on the glue pulls no more. */
static void test_adhesion(void **state)
{
    (void)state;
    run r;
    begin(&r, "adhesion");
    double m = 0.1, strength = 2, rate = 10, reach = 1e-9, dt = 1e-5;
    double gives_way = strength / rate, parts = cbrt(6 * m * reach / rate);

    while (now(&r) < gives_way - dt) {
        advance(&r);
        expect_near(r.q[0], 0.0, 1e-15);
    }
    finish(&r);
    double s = now(&r) - gives_way, free = s - parts;
    double x = rate * s * s * s / (6 * m) + strength * free * free / (2 * m);
    double v = rate * s * s / (2 * m) + strength * free / m;
    expect_near(r.q[0], x, 5 * v * dt);
    expect_near(r.u[0], v, 5 * (strength + rate * s) / m * dt);
    end(&r);
}

/* v = v∞ tanh(g t / v∞) with v∞ = √(m g / c), and the way v∞²/g log cosh(g t / v∞). */
/* The same law, with small steps of a plain rule between the samples. */
static void hold_cart(double *x, double *force)
{
    const double h = 1e-5, m = 2;
    double v = 0, sum = 0;
    *x = 0.1;
    for (int k = 0; k < 300; k++) {
        *force = -60 * *x + 40 * sum;
        sum -= 0.02 * *x;
        for (int i = 0; i < 2000; i++) {
            double wind = fmin(fmax(0.02 * k + h * i - 1, 0) * 2.5, 5);
            v += h * (*force - wind - 20 * v) / m;
            *x += h * v;
        }
    }
}

static void test_pi_control(void **state)
{
    (void)state;
    run r;
    int input;
    double x, force;
    begin(&r, "pi_control");
    check(&r, ss_model_find_input(ss_scene_model(r.scene), "force", &input));
    finish(&r);
    hold_cart(&x, &force);
    assert_true(fabs(x) < 0.02 && fabs(r.q[0] - x) < 1e-5);
    assert_true(fabs(ss_state_input(ss_simulation_state(r.simulation), input) - force) < 1e-3);
    end(&r);
}

static void test_drag(void **state)
{
    (void)state;
    run r;
    begin(&r, "drag");
    double limit = sqrt(0.0027 * gravity / 0.0003), dt = 1e-4;
    finish(&r);
    double T = gravity * now(&r) / limit;
    expect_near(r.u[0], -limit * tanh(T), gravity * dt);
    expect_near(r.q[0], -limit * limit / gravity * log(cosh(T)), limit * dt);
    end(&r);
}

/* The block stops after v²/(2 μ g) without lifting a foot, and the solver was not idle. */
static void test_gauss_seidel(void **state)
{
    (void)state;
    run r;
    begin(&r, "gauss_seidel");
    double mu = 0.4, v = 2, dt = 1e-4;
    finish(&r);
    const ss_statistics *sums = ss_state_statistics(ss_simulation_state(r.simulation));
    expect_near(r.q[0], v * v / (2 * mu * gravity), v * dt);
    expect_near(r.q[1], 0.1, 1e-9);
    expect_near(r.q[2], 0.0, 1e-9);
    expect_near(r.u[0], 0.0, 1e-9);
    assert_true(sums->failures == 0 && sums->worst_residual <= 1e-12);
    assert_true(sums->iterations > sums->steps);
    end(&r);
}

/* Free of the stop, the scheme is the recursion x_{n+1} - 2 x_n + x_{n-1} = -(ω dt)² x_n with x_{-1} = x_0, which has a
 * solution in cosines; at the stop the velocity is turned round with ε = 0.5. */
static void test_euler(void **state)
{
    (void)state;
    run r;
    double m = 0.5, k = 200, x0 = 0.1, dt = 1e-3;
    double theta = acos(1 - k / m * dt * dt / 2);

    const char *const out_of_reach[] = {"stop=-1"};
    begin_with(&r, "euler", 1, out_of_reach);
    for (int n = 1; n <= 1000; n++) {
        advance(&r);
        expect_near(r.q[0], x0 * cos((n + 0.5) * theta) / cos(theta / 2), 1e-11);
    }
    end(&r);

    begin(&r, "euler");
    double before = 0;
    while (r.u[0] <= 0) {
        before = r.u[0];
        advance(&r);
    }
    expect_near(r.u[0], -0.5 * before, 1e-9);
    end(&r);
}

/* ---- lens ---- */

typedef struct lens {
    double R, s, e,
        rho; /* m: radius, half the thickness, offset of the centres, radius of the rim */
} lens;

static const lens glass = {0.1, 0.03, 0.07, 0.071414284285428500};

/* Mass and inertia about a diameter for unit density, by slices. */
static void weigh(const lens *l, double *V, double *I)
{
    enum { SLICES = 100000 };
    double dz = l->s / SLICES, pi = acos(-1.0);
    *V = *I = 0;
    for (int i = 0; i < SLICES; i++) {
        double z = (i + 0.5) * dz, a = l->R * l->R - (z + l->e) * (z + l->e);
        *V += 2 * pi * a * dz;
        *I += 2 * pi * a * (a / 4 + z * z) * dz;
    }
}

static ss_shape *make_shape(ss_context *context, const char *type, const char *const *keys,
                            const double *values)
{
    ss_args *args;
    ss_shape *shape = NULL;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    for (int i = 0; i < 2 && keys[i]; i++)
        assert_int_equal(ss_args_set_real(args, keys[i], values[i]), SS_OK);
    if (ss_shape_create(context, type, args, NULL, NULL, &shape) != SS_OK)
        fail_msg("%s", ss_context_message(context));
    ss_args_destroy(args);
    return shape;
}

static ss_pose tilted(double x, double z, double angle)
{
    double c = cos(angle), s = sin(angle);
    return (ss_pose){{x, 0, z}, {c, 0, s, 0, 1, 0, -s, 0, c}};
}

typedef struct points {
    int count;
    ss_contact_point last;
} points;

static void count_point(void *user, const ss_contact_point *contact)
{
    points *p = user;
    p->count++;
    p->last = *contact;
}

static ss_contact_point only_point(const ss_shape *a, const ss_pose *at_a, const ss_shape *b,
                                   const ss_pose *at_b)
{
    points p = {0};
    ss_shapes_collide(a, at_a, b, at_b, 1.0, count_point, &p);
    assert_int_equal(p.count, 1);
    return p.last;
}

/* A tilted lens above a plane, on its side or on its rim; a ball beside it; two lenses one above the other. */
static void test_lens_gaps(void **state)
{
    (void)state;
    run r;
    begin(&r, "lens");
    const char *const of_lens[] = {"radius", "thickness"}, *const of_ball[] = {"radius", NULL};
    ss_shape *l = make_shape(r.context, "lens", of_lens, (double[]){glass.R, 2 * glass.s});
    ss_shape *ball = make_shape(r.context, "sphere", of_ball, (double[]){0.02});
    ss_shape *plane = make_shape(r.context, "plane", (const char *const[]){NULL}, NULL);
    const ss_pose here = tilted(0, 0, 0);
    for (double angle = -3.1; angle < 3.1; angle += 0.1) {
        ss_pose at = tilted(0.3, 0.2, angle);
        double c = fabs(cos(angle)), end = glass.e / glass.R;
        double low = c > end ? glass.R - glass.e * c : glass.rho * fabs(sin(angle));
        expect_near(only_point(plane, &here, l, &at).gap, 0.2 - low, 1e-15);

        /* the ball is in the direction `angle` from the middle, 0.2 m away; nearest is a side or the rim */
        ss_pose there = tilted(0.2 * sin(angle), 0.2 * cos(angle), 0);
        double x = 0.2 * fabs(sin(angle)), z = 0.2 * c;
        bool side = z * glass.rho >= (x - glass.rho) * glass.e; /* within the normals of the side */
        double gap = side ? hypot(x, z + glass.e) - glass.R : hypot(x - glass.rho, z);
        expect_near(only_point(l, &here, ball, &there).gap, gap - 0.02, 1e-13);
    }
    ss_pose above = tilted(0, 0.07, 0);
    expect_near(only_point(l, &here, l, &above).gap, 0.07 - 2 * glass.s, 1e-14);
    ss_shape_destroy(plane);
    ss_shape_destroy(ball);
    ss_shape_destroy(l);
    end(&r);
}

/* Energy gives the speed: (I + m r²) ω²/2 = m g e (cos θ - cos θ0), with r² = R² + e² - 2 R e cos θ from the foot to
 * the middle. With sin(θ/2) = sin(θ0/2) sin φ the time to the lowest position is the integral of a smooth periodic
 * function, for which the midpoint rule is as good as exact. */
static void expected_fall(double *time, double *speed)
{
    enum { PARTS = 100 };
    double V, I, start = 0.5, k = sin(start / 2), pi = acos(-1.0);
    weigh(&glass, &V, &I);
    *time = 0;
    for (int i = 0; i < PARTS; i++) {
        double half = asin(k * sin((i + 0.5) * pi / (2 * PARTS))); /* θ/2 */
        double r2 = glass.R * glass.R + glass.e * glass.e - 2 * glass.R * glass.e * cos(2 * half);
        *time += sqrt((I / V + r2) / (gravity * glass.e)) / cos(half) * pi / (2 * PARTS);
    }
    *speed = sqrt(2 * gravity * glass.e * (1 - cos(start)) / (I / V + glass.s * glass.s));
}

static void fall_within(const ss_scene_options *options, double tolerance)
{
    run r;
    double fall, speed, before = 0, t = 0;
    expected_fall(&fall, &speed);
    begin_as(&r, "lens", options);
    while (r.q[5] > 0) { /* the part of the rotation about y */
        before = r.q[5];
        t = now(&r);
        advance(&r);
    }
    t += (now(&r) - t) * before / (before - r.q[5]);
    expect_near(t, fall, tolerance);
    expect_near(r.u[4], -speed, tolerance * speed / fall + 1e-4);
    expect_near(r.q[2], glass.s, glass.R * tolerance / fall + 1e-6);
    end(&r);
}

/* Steps of 1e-4 s; and the exact integrator, which follows the one contact of a strictly convex shape. */
static void test_lens(void **state)
{
    (void)state;
    const char *const settings[] = {"simulation.type=event_driven", "simulation.output=1e-4"};
    ss_scene_options options = {.n_settings = 2, .settings = settings};
    fall_within(NULL, 1e-4);
    fall_within(&options, 1e-7);
}

static void test_lens_too_thick(void **state)
{
    (void)state;
    run r = {0};
    const char *const parameters[] = {"thickness=0.3"};
    ss_scene_options options = {.n_parameters = 1, .parameters = parameters, .allow_plugins = true};
    assert_int_equal(ss_context_create(NULL, &r.context), SS_OK);
    assert_int_equal(ss_scene_load(r.context, SS_EXAMPLES_DIR "/lens.yaml", &options, &r.scene),
                     SS_INPUT);
    assert_non_null(strstr(ss_context_message(r.context), "'thickness' is 0.3 m"));
    end(&r);
}

/* ---- halving ---- */

/* About ±F/k the mass swings in half circles: 0.9, -0.74, 0.58, -0.42, 0.26, -0.10, -0.06 m, where friction holds it.
 * Errors do not grow with time, so that they are at most the sum of what each step is allowed. */
static void settle_within(const char *setting, double tolerance)
{
    run r;
    ss_scene_options options = {.n_settings = 1, .settings = &setting};
    double least = INFINITY, most = 0, before = 0;
    begin_as(&r, "halving", &options);
    while (!ss_simulation_done(r.simulation)) {
        advance(&r);
        least = fmin(least, now(&r) - before);
        most = fmax(most, now(&r) - before);
        before = now(&r);
    }
    const ss_statistics *sums = ss_state_statistics(ss_simulation_state(r.simulation));
    expect_near(r.q[0], -0.06, tolerance * (double)sums->steps);
    expect_near(now(&r), 4, 1e-12);
    assert_true(sums->tries >= 3 * sums->steps && sums->failures == 0);
    assert_true(most > 100 * least); /* long steps at rest, short ones where it turns back */
    end(&r);
}

static void test_halving(void **state)
{
    (void)state;
    settle_within("simulation.tolerance=1e-5", 1e-5);
    settle_within("simulation.tolerance=1e-7", 1e-7);
}

/* The size of the next step is in the state: a saved state goes on as if nothing had been. */
static void test_halving_restored(void **state)
{
    (void)state;
    run r;
    ss_state *saved;
    begin(&r, "halving");
    for (int i = 0; i < 100; i++)
        advance(&r);
    check(&r, ss_state_create_for(ss_scene_model(r.scene), 0, 1, &saved));
    ss_state_copy(saved, ss_simulation_state(r.simulation));
    double first[2], t = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 100; i++)
            advance(&r);
        assert_true(pass == 0 || (r.q[0] == first[0] && r.u[0] == first[1] && now(&r) == t));
        first[0] = r.q[0];
        first[1] = r.u[0];
        t = now(&r);
        ss_state_copy(ss_simulation_state(r.simulation), saved);
    }
    ss_state_destroy(saved);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square_friction),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_parabola),
        cmocka_unit_test(test_adhesion),
        cmocka_unit_test(test_drag),
        cmocka_unit_test(test_pi_control),
        cmocka_unit_test(test_gauss_seidel),
        cmocka_unit_test(test_euler),
        cmocka_unit_test(test_lens_gaps),
        cmocka_unit_test(test_lens),
        cmocka_unit_test(test_lens_too_thick),
        cmocka_unit_test(test_halving),
        cmocka_unit_test(test_halving_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
