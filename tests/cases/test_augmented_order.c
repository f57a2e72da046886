/* test_augmented_order.c: error over the largest step has the slope p (Figs 6.9 and 6.11). */

#include "support/test.h"

#include <stickslip/stickslip.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TOP_ORDER = 5, MOST_POINTS = 16 };

typedef struct curve {
    int count;
    double step[MOST_POINTS], error[MOST_POINTS];
} curve;

static double slope(const curve *c)
{
    double n = c->count, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < c->count; i++) {
        double a = log(c->step[i]), b = log(c->error[i]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

/* Runs a scene with augmented time-stepping. */
static void run(const char *text, const char *position, const char *keys, ss_observe_fn look,
                void *user)
{
    char simulation[512];
    snprintf(simulation, sizeof simulation,
             "%ssolver: {tolerance: 1e-15}\nsimulation: {type: augmented, %s}\n", text, keys);
    const char *settings[] = {position};
    ss_scene_options options = {.n_settings = position ? 1 : 0, .settings = settings};
    ss_context *context;
    ss_scene *scene;
    assert_int_equal(ss_context_create(NULL, &context), SS_OK);
    ss_status status = ss_scene_parse(context, SS_SOURCE_DIR "/scenes/test.yaml", simulation,
                                      strlen(simulation), &options, &scene);
    if (status == SS_OK)
        status = ss_simulation_run(ss_scene_simulation(scene), look, user);
    if (status != SS_OK)
        fail_msg("%s", ss_context_message(context));
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

typedef struct oscillation {
    double x0, error;
} oscillation;

/* Closed form: harmonic about -0.15 m with ω² = 200/s², the speed times -0.6 at x = 0. */
static double exact(double x0, double t)
{
    double omega = sqrt(200), y = x0 + 0.15, v = 0.2;
    for (;;) {
        double amplitude = hypot(y, v / omega), phase = atan2(v / omega, y);
        double hit = phase - acos(0.15 / amplitude);
        while (hit <= 1e-9)
            hit += 2 * acos(-1);
        if (t * omega <= hit)
            return amplitude * cos(omega * t - phase) - 0.15;
        t -= hit / omega;
        v = 0.6 * amplitude * omega * sin(hit - phase);
        y = 0.15;
    }
}

static ss_status look_at_oscillator(void *user, ss_simulation *simulation, const ss_step *step)
{
    oscillation *o = user;
    (void)simulation;
    double error = fabs(ss_state_q(step->state)[0] - exact(o->x0, ss_state_time(step->state)));
    o->error = fmax(o->error, error);
    return SS_OK;
}

/* Where an impact lies within its least step is chance: the largest error from 32 starts. Δt_min =
 * Δt_max^p. */
static void impact_oscillator(void **state)
{
    (void)state;
    for (int order = 1; order <= TOP_ORDER; order++) {
        curve c = {0};
        for (int i = 0; i < 10; i++) {
            double step = (order == 1 ? 0.01 : 0.03) * pow(2, -i / 3.0);
            if (pow(step, order) < 1e-10)
                break;
            char keys[128], position[64];
            snprintf(keys, sizeof keys, "order: %d, step_max: %.17g, K_t: 1", order, step);
            oscillation o = {0};
            for (int k = 0; k < 32; k++) {
                o.x0 = -0.5 + 0.0017 * k;
                snprintf(position, sizeof position, "systems.mass.position=[%.17g]", o.x0);
                run("include: [impact_oscillator.yaml]\n", position, keys, look_at_oscillator, &o);
            }
            c.step[c.count] = step;
            c.error[c.count++] = o.error;
        }
        if (!(fabs(slope(&c) - order) <= 0.15))
            fail_msg("order %d: slope %g", order, slope(&c));
    }
}

static ss_status look_at_woodpecker(void *user, ss_simulation *simulation, const ss_step *step)
{
    (void)simulation;
    *(double *)user = ss_state_q(step->state)[2];
    return SS_OK;
}

/* phi_S after 0.08 s, nine switches, with Δt_min = 1e-10 s. */
static double woodpecker(const char *text, int order, double step)
{
    char keys[128];
    double phi = 0;
    snprintf(keys, sizeof keys, "order: %d, step_max: %.17g, step_min: 1e-10, end: 0.08", order,
             step);
    run(text, NULL, keys, look_at_woodpecker, &phi);
    return phi;
}

static double woodpecker_slope(const char *text, int order, double reference)
{
    curve c = {0};
    for (int i = 0; i < 6; i++) {
        double step = 1.6e-3 * pow(2, -i / 2.0),
               error = fabs(woodpecker(text, order, step) - reference);
        if (error < 3e-11) /* what the least step leaves */
            break;
        c.step[c.count] = step;
        c.error[c.count++] = error;
    }
    assert_true(c.count >= 3);
    return slope(&c);
}

/* Its forces do not depend on velocities: the error of Moreau's rule has even powers only, odd
 * orders gain one. */
static void plain_woodpecker(void **state)
{
    (void)state;
    const char *text = "include: [woodpecker.yaml]\n";
    double reference = woodpecker(text, 8, 1e-4);
    for (int order = 1; order <= TOP_ORDER; order++) {
        double s = woodpecker_slope(text, order, reference);
        if (!(s >= order - 0.15))
            fail_msg("order %d: slope %g", order, s);
    }
}

/* A damper in the spring between sleeve and bird. */
static void damped_woodpecker(void **state)
{
    (void)state;
    const char *text =
        "include: [woodpecker.yaml]\n"
        "forces:\n  damper: {type: load, on: [phi_M, phi_S], force: [\"-1e-5*(phi_M' - phi_S')\", "
        "\"-1e-5*(phi_S' - phi_M')\"]}\n";
    double reference = woodpecker(text, 8, 1e-4);
    for (int order = 1; order <= TOP_ORDER; order++) {
        double s = woodpecker_slope(text, order, reference);
        if (!(fabs(s - order) <= 0.15))
            fail_msg("order %d: slope %g", order, s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impact_oscillator),
        cmocka_unit_test(plain_woodpecker),
        cmocka_unit_test(damped_woodpecker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
