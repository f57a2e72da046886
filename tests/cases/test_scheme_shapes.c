/* test_scheme_shapes.c: every scheme on contacts of shapes at constant steps, against closed forms: a ball that drops on a
 * plane, a box on an incline, two boxes on each other. */
#include "support/test.h"

#include <stickslip/stickslip.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double g = 9.81, dt = 1e-3;

typedef struct shapes_run {
    ss_context *context;
    ss_scene *scene;
    ss_simulation *simulation;
    const char *scheme;
    ss_abilities can;
    const ss_state *state;
} shapes_run;

static void load_text(shapes_run *r, const char *text, double end)
{
    char settings[3][64];
    const char *given[3] = {settings[0], settings[1], settings[2]};
    ss_scene_options options = {.settings = given, .n_settings = 3};
    snprintf(settings[0], sizeof settings[0], "scheme.type=%s", r->scheme);
    snprintf(settings[1], sizeof settings[1], "simulation.step=%g", dt);
    snprintf(settings[2], sizeof settings[2], "simulation.end=%g", end);
    if (ss_scene_parse(r->context, "test.yaml", text, strlen(text), &options, &r->scene) != SS_OK)
        fail_msg("%s: %s", r->scheme, ss_context_message(r->context));
    r->simulation = ss_scene_simulation(r->scene);
}

static void open_text(shapes_run *r, const char *text, double end)
{
    load_text(r, text, end);
    if (ss_simulation_run(r->simulation, NULL, NULL) != SS_OK)
        fail_msg("%s: %s", r->scheme, ss_context_message(r->context));
    r->state = ss_simulation_state(r->simulation);
}

static void near(const shapes_run *r, const char *what, double value, double expected,
                 double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %s is %.12g, not %.12g within %g", r->scheme, what, value, expected,
                 tolerance);
}

static const double *q(const shapes_run *r, int body)
{
    return ss_state_q(r->state) + 7 * body;
}

/* Calls for all schemes. */
static void each_scheme(void (*call)(shapes_run *r))
{
    ss_context *context;
    const ss_type *type;
    assert_int_equal(ss_context_create(NULL, &context), SS_OK);
    for (size_t i = 0; (type = ss_type_at(context, SS_TYPE_SCHEME, i)); i++) {
        shapes_run r = {.context = context, .scheme = type->name};
        ss_scheme *scheme;
        assert_int_equal(ss_scheme_create(context, type->name, NULL, NULL, &scheme), SS_OK);
        r.can = ss_scheme_abilities(scheme);
        ss_scheme_destroy(scheme);
        call(&r);
    }
    ss_context_destroy(context);
}

#define BALL                                                                                      \
    "systems: {ball: {type: body, mass: 2, inertia: 0.008, position: [0, 0, %g]}}\n"              \
    "shapes: {ball: {type: sphere, on: ball, radius: 0.1}, floor: {type: plane}}\n"               \
    "elements: {contact: {type: contact, laws: {gap: {type: unilateral, restitution: %g}, slip: " \
    "{type: friction, mu: 0.3}}}}\n"                                                              \
    "forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}\n"                            \
    "simulation: {type: constant, step: 1e-3, end: 1}\n"

static void drop(shapes_run *r)
{
    const double h = 0.2, t = 0.35, hit = sqrt(2 * h / g), v = g * hit;
    double epsilon = r->can.elastic ? 0.5 : 0;
    char text[1024];
    snprintf(text, sizeof text, BALL, 0.1 + h, epsilon);
    open_text(r, text, t);
    double after = t - hit;
    double z = epsilon > 0 ? epsilon * v * after - g * after * after / 2 : 0;
    bool located =
        strcmp(r->scheme, "potra") == 0; /* parabolas are exact where impacts are located */
    near(r, "ball height", q(r, 0)[2] - 0.1, z, located ? 1e-12 : v * dt);
    near(r, "ball speed", ss_state_u(r->state)[2], epsilon > 0 ? epsilon * v - g * after : 0,
         located ? 1e-11 : 3 * g * dt);
    ss_scene_destroy(r->scene);
}

static void test_drop(void **state)
{
    (void)state;
    each_scheme(drop);
}

static void slide_with(shapes_run *r, double mu)
{
    const double t = 0.2, alpha = atan(0.5);
    char text[1024];
    snprintf(text, sizeof text,
             "systems: {box: {type: body, position: [0, 0, 0.1]}}\n"
             "shapes: {box: {type: box, on: box, size: [0.3, 0.2, 0.2], density: 1000}, floor: "
             "{type: plane}}\n"
             "elements: {contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: "
             "friction, mu: %g}}}}\n"
             "forces: {weight: {type: gravity, acceleration: [%.17g, 0, %.17g]}}\n"
             "simulation: {type: constant, step: 1e-3, end: 1}\n",
             mu, g * sin(alpha), -g * cos(alpha));
    open_text(r, text, t);
    double a = fmax(0, g * (sin(alpha) - mu * cos(alpha)));
    near(r, a > 0 ? "slide" : "stick", q(r, 0)[0], a * t * t / 2, a > 0 ? a * t * dt : 1e-8);
    near(r, "slide speed", ss_state_u(r->state)[0], a * t, a > 0 ? 2 * a * dt : 1e-8);
    near(r, "slide height", q(r, 0)[2], 0.1, 1e-8);
    ss_scene_destroy(r->scene);
}

static void slide(shapes_run *r)
{
    slide_with(r, 0.3);
    slide_with(r, 0.6);
}

static void test_slide(void **state)
{
    (void)state;
    each_scheme(slide);
}

static void stack(shapes_run *r)
{
    open_text(r,
              "systems: {low: {type: body, position: [0, 0, 0.1]}, high: {type: body, position: "
              "[0.02, 0.01, 0.3]}}\n"
              "shapes:\n"
              "  low: {type: box, on: low, size: [0.3, 0.3, 0.2], density: 500}\n"
              "  high: {type: box, on: high, size: [0.2, 0.2, 0.2], density: 1000}\n"
              "  floor: {type: plane}\n"
              "elements: {contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: "
              "friction, mu: 0.5}}}}\n"
              "forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}\n"
              "simulation: {type: constant, step: 1e-3, end: 1}\n",
              0.1);
    double m_low = 500 * 0.3 * 0.3 * 0.2, m_high = 1000 * 0.2 * 0.2 * 0.2, on_floor = 0, on_low = 0;
    const ss_contact *contacts = ss_state_contacts(r->state);
    for (int i = 0; i < ss_state_contact_count(r->state); i++)
        *(contacts[i].b == 2 ? &on_floor : &on_low) += contacts[i].P[2] * contacts[i].n[2];
    near(r, "low", q(r, 0)[2], 0.1, 1e-8);
    near(r, "high", q(r, 1)[2], 0.3, 1e-8);
    near(r, "high x", q(r, 1)[0], 0.02, 1e-8);
    near(r, "weight on low", on_low, m_high * g * dt, 1e-6 * m_high * g * dt);
    near(r, "weight on floor", on_floor, (m_low + m_high) * g * dt, 1e-6 * m_low * g * dt);
    ss_scene_destroy(r->scene);
}

static void test_stack(void **state)
{
    (void)state;
    each_scheme(stack);
}

/* The lower ball lies on the floor, the upper one stands on a spring above it and oscillates. Schemes that linearize
 * forces couple both: an impulse of the floor moves them together. */
static void bounce_on_spring(shapes_run *r)
{
    const double k = 1000, m = 2, length = 0.5, start = 0.02, t = 0.2;
    open_text(r,
              "systems:\n"
              "  low: {type: body, mass: 2, inertia: 0.008, position: [0, 0, 0.1]}\n"
              "  high: {type: body, mass: 2, inertia: 0.008, position: [0, 0, 0.60038]}\n"
              "shapes: {low: {type: sphere, on: low, radius: 0.1}, floor: {type: plane}}\n"
              "elements: {contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: "
              "friction, mu: 0.3}}}}\n"
              "forces:\n"
              "  weight: {type: gravity, acceleration: [0, 0, -9.81]}\n"
              "  spring: {type: spring, system: low, to: high, stiffness: 1000, length: 0.5}\n"
              "simulation: {type: constant, step: 1e-3, end: 1}\n",
              t);
    double omega = sqrt(k / m), z = 0.1 + length - m * g / k + start * cos(omega * t);
    double order_1 = start * omega * omega * t * dt, speed = -start * omega * sin(omega * t);
    near(r, "upper ball", q(r, 1)[2], z, r->can.order == 2 ? 1e-5 : order_1);
    near(r, "its speed", ss_state_u(r->state)[6 + 2], speed,
         r->can.order == 2 ? 2e-4 : omega * order_1);
    near(r, "lower ball", q(r, 0)[2], 0.1, 1e-9);
    assert_int_equal(ss_state_contact_count(r->state), 1);
    double force = ss_state_contacts(r->state)[0].P[2] * ss_state_contacts(r->state)[0].n[2] / dt;
    near(r, "force of the floor", force, 2 * m * g - k * start * cos(omega * t),
         k * (order_1 + omega * start * dt));
    ss_scene_destroy(r->scene);
}

static void test_spring(void **state)
{
    (void)state;
    each_scheme(bounce_on_spring);
}

/* A box that tumbles on another one and on the floor, and a ball beside it. */
#define TUMBLE                                                                                    \
    "systems:\n"                                                                                  \
    "  low: {type: body, position: [0, 0, 0.1]}\n"                                                \
    "  high: {type: body, position: [0.12, 0.01, 0.33], rotation: [0, 1, 0, 0.3]}\n"              \
    "  ball: {type: body, position: [0.3, 0, 0.051], velocity: [-1, 0, 0, 0, 0, 0]}\n"            \
    "shapes:\n"                                                                                   \
    "  low: {type: box, on: low, size: [0.3, 0.3, 0.2], density: 500}\n"                          \
    "  high: {type: box, on: high, size: [0.2, 0.2, 0.2], density: 1000}\n"                       \
    "  ball: {type: sphere, on: ball, radius: 0.05, density: 1000}\n"                             \
    "  floor: {type: plane}\n"                                                                    \
    "elements: {contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: friction, " \
    "mu: 0.4}}}}\n"                                                                               \
    "forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}\n"                            \
    "solver: {type: auto}\n"                                                                      \
    "simulation: {type: constant, step: 1e-3, end: 1}\n"

static void go_on(const shapes_run *r, int steps)
{
    ss_step step;
    for (int i = 0; i < steps; i++)
        if (ss_simulation_advance(r->simulation, &step) != SS_OK)
            fail_msg("%s: %s", r->scheme, ss_context_message(r->context));
}

/* A state that was saved goes on as if it had never been. */
static void save(shapes_run *r)
{
    shapes_run second = *r;
    load_text(r, TUMBLE, 1);
    load_text(&second, TUMBLE, 1);
    go_on(r, 50);
    go_on(&second, 3); /* it is somewhere else */
    const ss_state *saved = ss_simulation_state(r->simulation);
    ss_state *state = ss_simulation_state(second.simulation);
    if (ss_state_restore(ss_scene_model(second.scene), ss_state_bytes(saved), saved, state) !=
        SS_OK)
        fail_msg("%s: %s", r->scheme, ss_context_message(r->context));
    go_on(r, 50);
    go_on(&second, 50);
    const ss_state *one = ss_simulation_state(r->simulation),
                   *other = ss_simulation_state(second.simulation);
    for (int i = 0; i < 3 * 7; i++)
        near(r, "position", ss_state_q(other)[i], ss_state_q(one)[i], 0);
    for (int i = 0; i < 3 * 6; i++)
        near(r, "velocity", ss_state_u(other)[i], ss_state_u(one)[i], 0);
    assert_true(ss_state_contact_count(one) > 0);
    ss_scene_destroy(second.scene);
    ss_scene_destroy(r->scene);
}

static void test_save(void **state)
{
    (void)state;
    each_scheme(save);
}

/* Where the box is by then: augmented time-stepping and event-driven integration agree on these digits. */
static void agree(shapes_run *r)
{
    const double t = 0.12, speed = 0.3; /* m/s, at most */
    open_text(r, TUMBLE, t);
    near(r, "box x", q(r, 1)[0], 0.115446321, speed * dt);
    near(r, "box y", q(r, 1)[1], 0.01, speed * dt / 10);
    near(r, "box z", q(r, 1)[2], 0.306878936, speed * dt);
    ss_scene_destroy(r->scene);
}

static void test_agree(void **state)
{
    (void)state;
    each_scheme(agree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop),   cmocka_unit_test(test_slide), cmocka_unit_test(test_stack),
        cmocka_unit_test(test_spring), cmocka_unit_test(test_save),  cmocka_unit_test(test_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
