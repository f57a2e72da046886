/* test_augmented_bases.c: every scheme that declares an expansion of its error is a base of augmented
 * time-stepping: the error on the impact oscillator falls with the order asked for. */

#include "support/test.h"

#include <stickslip/stickslip.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TOP_ORDER = 3, STARTS = 8, STEPS = 4 };

typedef struct oscillation {
    double x0, epsilon, error;
} oscillation;

/* Closed form: harmonic about -0.15 m with ω² = 200/s², the speed times -ε at x = 0. */
static double exact(const oscillation *o, double t)
{
    double omega = sqrt(200), y = o->x0 + 0.15, v = 0.2;
    for (;;) {
        double amplitude = hypot(y, v / omega), phase = atan2(v / omega, y);
        double hit = phase - acos(fmin(1, 0.15 / amplitude));
        while (hit <= 1e-9)
            hit += 2 * acos(-1);
        if (t * omega <= hit)
            return amplitude * cos(omega * t - phase) - 0.15;
        t -= hit / omega;
        v = o->epsilon * amplitude * omega * sin(hit - phase);
        y = 0.15;
    }
}

static ss_status look(void *user, ss_simulation *simulation, const ss_step *step)
{
    oscillation *o = user;
    (void)simulation;
    double error = fabs(ss_state_q(step->state)[0] - exact(o, ss_state_time(step->state)));
    o->error = fmax(o->error, error);
    return SS_OK;
}

/* Three impacts with ε = 0.6, one with ε = 0 (after which the mass comes back without touching). */
static ss_status run(ss_context *context, const char *scheme, int order, double step,
                     oscillation *o)
{
    char text[512], position[64], epsilon[64];
    snprintf(text, sizeof text,
             "include: [impact_oscillator.yaml]\nscheme: {type: %s}\nsolver: {tolerance: 1e-15}\n"
             "simulation: {type: augmented, order: %d, step_max: %.17g, K_t: 1, end: %g}\n",
             scheme, order, step, o->epsilon > 0 ? 1 : 0.5);
    snprintf(position, sizeof position, "systems.mass.position=[%.17g]", o->x0);
    snprintf(epsilon, sizeof epsilon, "epsilon=%g", o->epsilon);
    const char *settings[] = {position}, *parameters[] = {epsilon};
    ss_scene_options options = {
        .n_settings = 1, .settings = settings, .n_parameters = 1, .parameters = parameters};
    ss_scene *scene;
    ss_status status = ss_scene_parse(context, SS_SOURCE_DIR "/scenes/test.yaml", text,
                                      strlen(text), &options, &scene);
    if (status == SS_OK)
        status = ss_simulation_run(ss_scene_simulation(scene), look, o);
    ss_scene_destroy(scene);
    return status;
}

/* Largest error from several starts: where an impact lies within its least step is chance. */
static double error_of(ss_context *context, const char *scheme, bool elastic, int order,
                       double step)
{
    oscillation o = {.epsilon = elastic ? 0.6 : 0};
    for (int k = 0; k < STARTS; k++) {
        o.x0 = -0.5 + 0.0017 * k;
        if (run(context, scheme, order, step, &o) != SS_OK)
            fail_msg("%s: %s", scheme, ss_context_message(context));
    }
    return o.error;
}

/* Slope of the straight line through log error over log step. */
static double slope(ss_context *context, const char *scheme, bool elastic, int order)
{
    const double first[TOP_ORDER] = {0.003, 0.01, 0.03};
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < STEPS; i++) {
        double step = first[order - 1] * pow(2, -i);
        double a = log(step), b = log(error_of(context, scheme, elastic, order, step));
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (STEPS * xy - x * y) / (STEPS * xx - x * x);
}

/* Symmetric schemes have even powers only, and gain one for odd orders. */
static void check_base(ss_context *context, const char *scheme, bool elastic)
{
    for (int order = 1; order <= TOP_ORDER; order++) {
        double s = slope(context, scheme, elastic, order);
        if (!(s > order - 0.2 && s < order + 1.2))
            fail_msg("%s, order %d: slope %g", scheme, order, s);
    }
}

static void check_refused(ss_context *context, const char *scheme)
{
    oscillation o = {.x0 = -0.5, .epsilon = 0.6};
    assert_int_equal(run(context, scheme, 2, 0.01, &o), SS_UNSUPPORTED);
    assert_non_null(strstr(ss_context_message(context), "has no expansion"));
    assert_non_null(strstr(ss_context_message(context), scheme));
}

static void every_declared_base_has_its_orders(void **state)
{
    (void)state;
    ss_context *context;
    int bases = 0;
    assert_int_equal(ss_context_create(NULL, &context), SS_OK);
    const ss_type *type;
    for (size_t i = 0; (type = ss_type_at(context, SS_TYPE_SCHEME, i)); i++) {
        ss_scheme *scheme;
        assert_int_equal(ss_scheme_create(context, type->name, NULL, NULL, &scheme), SS_OK);
        ss_abilities can = ss_scheme_abilities(scheme);
        ss_scheme_destroy(scheme);
        if (can.expansion)
            check_base(context, type->name, can.elastic);
        else
            check_refused(context, type->name);
        bases += can.expansion;
    }
    assert_int_equal(bases, 17);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_declared_base_has_its_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
