/* test_inputs.c: inputs, outputs and controllers in every simulation: closed forms, memory, states that are saved. */
#include "scene/scenes.h"
#include "support/allocator.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Every way to choose steps, to t = 1 s. */
static const char *const simulations[] = {
    "simulation: {type: constant, step: 1e-3, end: 1}",
    "simulation: {type: event_driven, output: 0.1, end: 1}",
    "simulation: {type: hybrid, output: 0.1, end: 1}",
    "simulation: {type: augmented, step_max: 0.02, step_min: 1e-9, end: 1}",
    "simulation: {type: augmented, step_max: 0.02, step_min: 1e-9, localize: regula_falsi, end: 1}",
};

static ss_scene *make(ss_context *context, const char *model, const char *simulation)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s\n", model, simulation);
    return parse(context, text, NULL);
}

static ss_state *state_of(ss_scene *scene)
{
    return ss_simulation_state(ss_scene_simulation(scene));
}

static void set(ss_scene *scene, const char *name, double value)
{
    const ss_model *model = ss_scene_model(scene);
    int input;
    check_ok(ss_model_context(model), ss_model_find_input(model, name, &input));
    check_ok(ss_model_context(model), ss_state_set_input(model, state_of(scene), input, value));
}

/* Runs the model by every simulation and compares the first position and velocity at t = 1 s. Constant steps of 1 ms may see a
 * velocity that jumps half a step too late, or early. */
static void expect_end(const char *model, double x, double v, double exact, double jump)
{
    for (int i = 0; i < COUNT(simulations); i++) {
        ss_context *context = make_context();
        ss_scene *scene = make(context, model, simulations[i]);
        double within = i == 0 ? exact + jump * 1.01e-3 / 2 : exact;
        advance(scene, 1000000);
        if (fabs(positions(scene)[0] - x) > within || fabs(velocities(scene)[0] - v) > within)
            fail_msg("%s: x = %.12g instead of %.12g, v = %.12g instead of %.12g", simulations[i],
                     positions(scene)[0], x, velocities(scene)[0], v);
        ss_scene_destroy(scene);
        ss_context_destroy(context);
    }
}

/* ---- Closed forms ---- */

/* A force that sticks, slides with a = 2 m/s² for 0.3 s, and brakes with 4 m/s² to rest. */
static void a_force_against_friction(void **state)
{
    (void)state;
    expect_end("inputs: {F: {range: [-10, 10]}}\n"
               "systems: {m: {type: point, dim: 1, mass: 1}}\n"
               "forces: {push: {type: load, on: [x], force: F}}\n"
               "elements: {floor: {type: expression, slip: \"x'\", laws: {slip: {type: friction, "
               "bound: 3}}}}\n"
               "controllers: {c: {type: samples, inputs: [F], table: [[0.2, 2], [0.4, 5], [0.7, "
               "-1]]}}\n",
               0.09 + 0.6 * 0.15 / 2, 0, 1e-9, 0);
}

/* A brake is pressed on a mass that slides, in two stages: μ N / m = 0.5 · 4 / 2 and twice that. */
static void a_brake(void **state)
{
    (void)state;
    double v_1 = 2 - 1 * 0.25, x_1 = 2 * 0.25 + 2 * 0.25 - 0.25 * 0.25 / 2;
    double v_2 = v_1 - 2 * 0.5, x_2 = x_1 + v_1 * 0.5 - 0.5 * 0.5;
    expect_end("inputs: {press: {range: [0, 100]}}\n"
               "systems: {m: {type: point, dim: 2, mass: 2, velocity: [2, 0]}}\n"
               "forces: {pads: {type: load, on: [y], force: -press}}\n"
               "elements: {disk: {type: plane, system: m, normal: [0, 1], laws: {gap: {type: "
               "unilateral}, slip: {type: friction, mu: 0.5}}}}\n"
               "controllers: {foot: {type: samples, inputs: [press], table: [[0.25, 4], [0.5, "
               "8]]}}\n",
               x_2, v_2, 1e-9, 0);
}

/* A motor with a limit of 4 N takes 0.25 s to reach the speed that jumps, and has not come to rest at the end. */
static void a_velocity_servo_with_a_limit(void **state)
{
    (void)state;
    expect_end(
        "inputs: {v: {}}\n"
        "systems: {m: {type: point, dim: 1, mass: 1}}\n"
        "elements: {servo: {type: expression, slip: \"x'\", laws: {slip: {type: motor, speed: "
        "v, limit: 4}}}}\n"
        "controllers: {c: {type: samples, inputs: [v], table: [[0.3, 1], [0.8, 0]]}}\n",
        0.125 + 0.25 + 0.2 - 0.08, 0.2, 1e-9, 0);
}

/* Without a limit the velocity jumps with the input. */
static void a_velocity_that_jumps(void **state)
{
    (void)state;
    expect_end(
        "inputs: {v: {}}\n"
        "systems: {m: {type: point, dim: 1, mass: 1}}\n"
        "elements: {servo: {type: expression, slip: \"x'\", laws: {slip: {type: motor, speed: "
        "v}}}}\n"
        "controllers: {c: {type: samples, inputs: [v], table: [[0.25, 1], [0.75, 2]]}}\n",
        0.5 + 0.5, 2, 1e-8, 2);
}

/* A belt whose speed is a ramp, 4 t from 0.25 s on, carries a mass by friction of 3 N: it slips. From 0.5 s on the belt has
 * 1 m/s, which the mass reaches after 1/3 s. */
static void a_friction_drive(void **state)
{
    (void)state;
    double t = 0.25 + 1.0 / 3;
    expect_end(
        "inputs: {belt: {}}\n"
        "systems: {m: {type: point, dim: 1, mass: 1}}\n"
        "elements: {belt: {type: expression, slip: \"x' - belt\", laws: {slip: {type: "
        "friction, bound: 3}}}}\n"
        "controllers: {c: {type: samples, inputs: [belt], between: linear, table: [[0.25, 0], "
        "[0.5, 1]]}}\n",
        1.0 / 6 + (1 - t), 1, 1e-8, 1);
}

/* A position servo, a spring to a place that jumps: half of an oscillation with ω = 2π. */
static void a_position_servo(void **state)
{
    (void)state;
    expect_end("inputs: {place: {}}\n"
               "systems: {m: {type: point, dim: 1, mass: 1}}\n"
               "forces: {servo: {type: drive, on: x, position: place, stiffness: 4*pi^2}}\n"
               "controllers: {c: {type: samples, inputs: [place], table: [[0.5, 1]]}}\n",
               2, 0, 1e-7, 0.1);
}

/* A spring whose end jumps: the work of who moves it is that of a load, and the energies balance. By the scene, and by hand. */
static void work_that_an_input_does(void **state)
{
    (void)state;
    const char *model = "inputs: {a: {}, b: {}}\n"
                        "systems: {m: {type: lagrange, coordinates: [x], kinetic: 0.5*x'^2, "
                        "potential: 8*(x - a - b)^2}}\n"
                        "controllers: {c: {type: samples, inputs: [a], table: [[0.25, 1]]}}\n";
    for (int i = 0; i < COUNT(simulations); i++) {
        ss_context *context = make_context();
        ss_scene *scene = make(context, model, simulations[i]);
        ss_simulation *simulation = ss_scene_simulation(scene);
        ss_energy e;
        while (ss_state_time(state_of(scene)) < 0.5)
            advance(scene, 1);
        /* x = 1 - cos(4 t) since 0.25 s; then the spring is longer by 1 m */
        double c = cos(4 * (ss_state_time(state_of(scene)) - 0.25));
        double work = 8 + 8 * ((1 + c) * (1 + c) - c * c);
        set(scene, "b", 1);
        advance(scene, 1000000);
        check_ok(context, ss_work_energy(ss_simulation_work(simulation), state_of(scene), &e));
        assert_true(fabs(e.load_work - work) < 1e-4 * work);
        assert_true(fabs(e.kinetic + e.potential - e.load_work) < 1e-4 * work);
        ss_scene_destroy(scene);
        ss_context_destroy(context);
    }
}

/* ---- A state has all of it ---- */

static const char *const hunting =
    "inputs: {F: {range: [-9, 9]}, w: {value: 0.01}}\n"
    "systems: {m: {type: point, dim: 1, mass: 2}}\n"
    "forces: {push: {type: load, on: [x], force: F}, drag: {type: load, on: [x], force: -4*x'}}\n"
    "elements: {floor: {type: expression, slip: \"x'\", laws: {slip: {type: stribeck, bound: 3, "
    "delta: 20}}}}\n"
    "outputs: {e: {value: w - x}, a: {value: acceleration.x}, R: {value: floor.slip.force}}\n"
    "controllers:\n"
    "  pi: {period: 0.01, delay: 0.024, type: expression, inputs: [F], values: [400*e + 1200*s], "
    "states: [s], initial: [0.001], next: [s + 0.01*e]}\n";

static void a_saved_state_goes_on(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(simulations); i++) {
        ss_context *context = make_context();
        ss_scene *whole = make(context, hunting, simulations[i]);
        ss_scene *other = make(context, hunting, simulations[i]);
        advance(whole, 37);
        check_ok(context, ss_state_restore(ss_scene_model(other), ss_state_bytes(state_of(whole)),
                                           state_of(whole), state_of(other)));
        advance(whole, 1000000);
        advance(other, 1000000);
        assert_memory_equal(state_of(whole), state_of(other), ss_state_bytes(state_of(whole)));
        ss_scene_destroy(other);
        ss_scene_destroy(whole);
        ss_context_destroy(context);
    }
}

/* The control part of a state lies behind the velocities: two inputs of six numbers, then the controller's. */
static void a_damaged_state_is_refused(void **state)
{
    (void)state;
    enum { NEXT = 12, WAITING };
    const struct {
        int place;
        double value;
    } wrong[] = {{0, NAN},      {1, INFINITY},  {NEXT, NAN},
                 {WAITING, -1}, {WAITING, 0.5}, {WAITING, 1e9}};
    ss_context *context = make_context();
    ss_scene *scene = make(context, hunting, simulations[0]);
    advance(scene, 30);
    size_t bytes = ss_state_bytes(state_of(scene));
    char *saved = malloc(bytes);
    for (int i = 0; i < COUNT(wrong); i++) {
        memcpy(saved, state_of(scene), bytes);
        double *control = ss_state_edit_u((ss_state *)(void *)saved) + 1;
        assert_true(control[WAITING] > 0);
        control[wrong[i].place] = wrong[i].value;
        assert_int_equal(ss_state_restore(ss_scene_model(scene), bytes, saved, state_of(scene)),
                         SS_INPUT);
        assert_non_null(strstr(ss_context_message(context), "damaged"));
    }
    free(saved);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* ---- Memory ---- */

static void steps_allocate_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(simulations);
         i += 3) { /* constant, augmented: SUNDIALS has an allocator of its own */
        counting_allocator counter = {.allowed = -1};
        ss_context_options options = counting_options(&counter);
        ss_context *context;
        double outputs[3];
        assert_int_equal(ss_context_create(&options, &context), SS_OK);
        ss_scene *scene = make(context, hunting, simulations[i]);
        advance(scene, 60);
        long before = counter.calls;
        for (int k = 0; k < 200; k++) {
            advance(scene, 1);
            set(scene, "w", 0.01 + 1e-5 * k);
            check_ok(context, ss_simulation_outputs(ss_scene_simulation(scene), outputs));
        }
        assert_int_equal(counter.calls, before);
        ss_scene_destroy(scene);
        ss_context_destroy(context);
        assert_int_equal(counter.live, 0);
    }
}

static void allocations_fail(void **state)
{
    (void)state;
    ss_status status = SS_MEMORY;
    char text[4096];
    snprintf(text, sizeof text, "%s%s\n", hunting, simulations[1]);
    for (long allowed = 0; status == SS_MEMORY; allowed += 7) {
        counting_allocator counter = {.allowed = allowed};
        ss_context_options options = counting_options(&counter);
        ss_context *context = NULL;
        ss_scene *scene = NULL;
        status = ss_context_create(&options, &context);
        if (status == SS_OK)
            status = ss_scene_parse(context, "t", text, strlen(text), NULL, &scene);
        assert_true(status == SS_OK || status == SS_MEMORY);
        ss_scene_destroy(scene);
        ss_context_destroy(context);
        assert_int_equal(counter.live, 0);
    }
}

/* ---- Sleepers, steps that are too long, models in C ---- */

static void an_input_wakes(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = make(
        context,
        "inputs: {wind: {}}\n"
        "systems: {ball: {type: body, position: [0, 0, 0.1]}}\n"
        "shapes: {ball: {type: sphere, radius: 0.1, on: ball, density: 1000, material: steel}, "
        "floor: {type: plane, material: steel}}\n"
        "elements: {contact: {type: contact, between: [steel, steel], sleep: true, laws: {gap: "
        "{type: unilateral}, slip: {type: friction, mu: 0.5}}}}\n"
        "forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}, wind: {type: load, on: "
        "[ball.x'], force: wind}}\n",
        "simulation: {type: constant, step: 1e-3, end: 1}");
    advance(scene, 500);
    assert_true(velocities(scene)[0] == 0);
    set(scene, "wind", 7);
    advance(scene, 500);
    /* it rolls: 7/5 m a = F */
    double mass = 1000 * 4.0 / 3 * 3.14159265358979323846 * 1e-3, a = 7 / (1.4 * mass);
    assert_true(fabs(velocities(scene)[0] - a * 0.5) < 1e-6 * a);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* A simulation that takes steps as it likes. */
static ss_status stride(void *self, ss_simulation *simulation)
{
    (void)self;
    return ss_simulation_try_step(simulation, 0.007);
}

static void steps_must_end_at_changes(void **state)
{
    (void)state;
    const ss_simulation_ops ops = {
        .type = {.abi = SS_ABI, .size = sizeof ops, .name = "stride", .doc = "Steps of 7 ms."},
        .advance = stride,
    };
    ss_context *context = make_context();
    check_ok(context, ss_register_simulation(context, &ops));
    ss_scene *scene = make(context, hunting, "simulation: {type: stride, end: 1}");
    ss_step step;
    check_ok(context, ss_simulation_advance(ss_scene_simulation(scene), &step));
    assert_int_equal(ss_simulation_advance(ss_scene_simulation(scene), &step), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "beyond t = 0.01 s"));
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void add_text(ss_context *context, ss_model *model, const char *text)
{
    check_ok(context, ss_model_add_text(model, "model", text));
}

/* A controller that is not added leaves its inputs free, an output that is not added leaves no laws. */
static void what_fails_leaves_nothing(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_model *model;
    int index;
    check_ok(context, ss_model_create(context, &model));
    add_text(context, model, "inputs: {F: {}}\nsystems: {m: {type: point, dim: 1, mass: 1}}\n");
    assert_int_not_equal(
        ss_model_add_text(
            model, "wrong",
            "controllers: {c: {type: expression, period: 1, inputs: [F], values: [y]}}"),
        SS_OK);
    assert_int_not_equal(ss_model_add_text(model, "wrong", "outputs: {e: {value: z}}"), SS_OK);
    add_text(context, model,
             "outputs: {e: {value: 1 - x, unit: m}}\n"
             "controllers: {d: {type: expression, period: 1, inputs: [F], values: [2*e]}}\n");
    assert_int_not_equal(ss_model_add_text(model, "late", "parameters: {F: 1}"), SS_OK);
    check_ok(context, ss_model_seal(model));
    ss_model_size size = ss_model_sizes(model);
    assert_int_equal(size.n_inputs, 1);
    assert_int_equal(size.n_outputs, 1);
    assert_int_equal(size.n_controllers, 1);
    assert_string_equal(ss_model_input(model, 0).controller, "d");
    assert_string_equal(ss_model_output(model, 0).unit, "m");
    assert_string_equal(ss_model_controller(model, 0).type, "expression");
    assert_null(ss_model_input(model, 1).name);
    assert_null(ss_model_output(model, -1).name);
    assert_int_equal(ss_model_find_output(model, "f", &index), SS_UNKNOWN_NAME);
    ss_model_destroy(model);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_against_friction),
        cmocka_unit_test(a_brake),
        cmocka_unit_test(a_velocity_servo_with_a_limit),
        cmocka_unit_test(a_velocity_that_jumps),
        cmocka_unit_test(a_friction_drive),
        cmocka_unit_test(a_position_servo),
        cmocka_unit_test(work_that_an_input_does),
        cmocka_unit_test(a_saved_state_goes_on),
        cmocka_unit_test(a_damaged_state_is_refused),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(allocations_fail),
        cmocka_unit_test(an_input_wakes),
        cmocka_unit_test(steps_must_end_at_changes),
        cmocka_unit_test(what_fails_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
