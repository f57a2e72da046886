/* test_frames.c: a system with several frames that carry shapes, against the same contacts written as formulas.
 *
 * A double pendulum in the plane y = 0, rods of 1 m without mass, 1 kg at the end of each, absolute angles from below.
 * Frames are at the masses, their z axes along the rods to the pivots.
 */
#include "scene/scenes.h"

#include <math.h>

static const double gravity = 9.81;

static ss_status init(void *self, ss_setup *setup)
{
    static const char *const coordinates[] = {"phi1", "phi2"}, *const frames[] = {"upper", "lower"};
    (void)self;
    SS_TRY(ss_setup_coordinates(setup, 2, coordinates));
    return ss_setup_frames(setup, 2, frames);
}

static ss_status mass(const void *self, const ss_at *at, double *M)
{
    (void)self;
    M[0] = 2;
    M[1] = M[2] = cos(at->q[0][0] - at->q[0][1]);
    M[3] = 1;
    return SS_OK;
}

static ss_status h(const void *self, const ss_at *at, double *h)
{
    const double *q = at->q[0], *u = at->u[0];
    double s = sin(q[0] - q[1]);
    (void)self;
    h[0] = -s * u[1] * u[1] - 2 * gravity * sin(q[0]);
    h[1] = s * u[0] * u[0] - gravity * sin(q[1]);
    return SS_OK;
}

static void pose(const void *self, const ss_at *at, int frame, ss_pose *pose)
{
    const double *q = at->q[0];
    double s = sin(q[frame]), c = cos(q[frame]);
    (void)self;
    *pose = (ss_pose){.A = {c, 0, -s, 0, 1, 0, s, 0, c}};
    for (int i = 0; i <= frame; i++) {
        pose->x[0] += sin(q[i]);
        pose->x[2] -= cos(q[i]);
    }
}

static void twist(const void *self, const ss_at *at, int frame, double *V)
{
    (void)self;
    memset(V, 0, 12 * sizeof *V);
    for (int i = 0; i <= frame; i++) {
        V[i] = cos(at->q[0][i]);
        V[4 + i] = sin(at->q[0][i]);
    }
    V[8 + frame] = -1;
}

static const ss_system_ops arm = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_system_ops),
             .name = "arm",
             .doc = "A double pendulum."},
    .init = init,
    .mass = mass,
    .h = h,
    .pose = pose,
    .twist = twist,
};

#define ARM "systems: {arm: {type: arm, position: [0.5, 2.6], velocity: [0, 6]}}\n"
#define LAW "{gap: {type: unilateral, restitution: 0.5}}"
/* Two balls at the tip that overlap; one on the upper rod, 0.1 m below the pivot; a floor 1.5 m below the pivot. */
#define SHAPES                                                                                \
    "shapes:\n"                                                                               \
    "  tip: {type: sphere, radius: 0.1, on: arm.lower, material: tip}\n"                      \
    "  beside: {type: sphere, radius: 0.15, on: arm.lower, at: [0.1, 0, 0], material: tip}\n" \
    "  root: {type: sphere, radius: 0.2, on: arm.upper, at: [0, 0, 0.9], material: other}\n"  \
    "  floor: {type: plane, at: [0, 0, -1.5], material: other}\n"                             \
    "elements: {contact: {type: contact, between: [tip, other], laws: " LAW "}}\n"
#define SIN2 "(0.9*sin(phi1) + sin(phi2))"
#define COS2 "(0.9*cos(phi1) + cos(phi2))"
#define FORMULAS                                                                                 \
    "elements:\n"                                                                                \
    "  floor: {type: expression, gap: 1.4 - cos(phi1) - cos(phi2), laws: " LAW "}\n"             \
    "  beside: {type: expression, gap: 1.35 - cos(phi1) - cos(phi2) + 0.1*sin(phi2), laws: " LAW \
    "}\n"                                                                                        \
    "  root: {type: expression, gap: sqrt(" SIN2 "^2 + " COS2 "^2) - 0.3, laws: " LAW "}\n"      \
    "  root2: {type: expression, gap: sqrt((" SIN2 " + 0.1*cos(phi2))^2 + (" COS2                \
    " - 0.1*sin(phi2))^2) - 0.35, laws: " LAW "}\n"

static ss_scene *make(ss_context *context, const char *objects, const char *simulation,
                      ss_model **model)
{
    ss_scene *scene;
    check_ok(context, ss_model_create(context, model));
    check_ok(context, ss_model_add_text(*model, "arm", ARM));
    check_ok(context, ss_model_add_text(*model, "objects", objects));
    check_ok(context, ss_model_seal(*model));
    check_ok(context, ss_scene_create(*model, "run", simulation, &scene));
    return scene;
}

static ss_context *make_arm_context(void)
{
    ss_context *context = make_context();
    check_ok(context, ss_register_system(context, &arm));
    return context;
}

static uint64_t switches_of(ss_scene *scene)
{
    return ss_state_statistics(ss_simulation_state(ss_scene_simulation(scene)))->switches;
}

static void compare(const char *simulation, double tolerance)
{
    ss_context *context = make_arm_context();
    ss_model *with_shapes, *with_formulas;
    ss_scene *shapes = make(context, SHAPES, simulation, &with_shapes);
    ss_scene *formulas = make(context, FORMULAS, simulation, &with_formulas);
    bool root = false, floor = false;
    while (!ss_simulation_done(ss_scene_simulation(formulas))) {
        advance(shapes, 1);
        advance(formulas, 1);
        const ss_state *state = ss_simulation_state(ss_scene_simulation(shapes));
        for (int i = 0; i < ss_state_contact_count(state); i++) {
            const ss_contact *contact = &ss_state_contacts(state)[i];
            root = root || (contact->closed && contact->b == 2);
            floor = floor || (contact->closed && contact->b == 3);
            assert_int_not_equal(contact->a + contact->b, 1); /* both on one frame */
        }
        for (int i = 0; i < 2; i++)
            if (!(fabs(positions(shapes)[i] - positions(formulas)[i]) <= tolerance))
                fail_msg("%s: %.15g is not %.15g", simulation, positions(shapes)[i],
                         positions(formulas)[i]);
    }
    assert_true(root && floor);
    assert_true(switches_of(formulas) > 4);
    ss_scene_destroy(shapes);
    ss_scene_destroy(formulas);
    ss_model_destroy(with_shapes);
    ss_model_destroy(with_formulas);
    ss_context_destroy(context);
}

static void test_constant_steps(void **state)
{
    (void)state;
    compare("simulation: {type: constant, step: 1e-3, end: 2}", 1e-9);
}

static void test_exact(void **state)
{
    (void)state;
    compare("simulation: {type: event_driven, output: 1e-2, end: 2}", 1e-6);
}

static void refuse(const char *on, const char *says)
{
    ss_context *context = make_arm_context();
    ss_model *model;
    char text[512];
    snprintf(text, sizeof text,
             "systems:\n  arm: {type: arm}\n  ball: {type: body, mass: 1, inertia: 1}\n"
             "  oscillator: {type: linear, coordinates: [x], mass: 1}\n"
             "shapes: {s: {type: sphere, radius: 1, on: %s}}\n",
             on);
    check_ok(context, ss_model_create(context, &model));
    assert_int_not_equal(ss_model_add_text(model, "text", text), SS_OK);
    if (!strstr(ss_context_message(context), says))
        fail_msg("'%s' does not say '%s'", ss_context_message(context), says);
    ss_model_destroy(model);
    ss_context_destroy(context);
}

static void test_names(void **state)
{
    (void)state;
    refuse("arm", "system 'arm' has frames; name one of them (frames: arm.upper, arm.lower)");
    refuse("arm.hand", "system 'arm' has no frame hand (frames: arm.upper, arm.lower)");
    refuse("ball.hand", "system 'ball' has one frame without a name: 'on: ball'");
    refuse("arms.upper", "there is no system 'arms'; did you mean 'arm'?");
    refuse("oscillator", "systems of type 'linear' carry no shapes");
}

static void test_poses(void **state)
{
    (void)state;
    ss_context *context = make_arm_context();
    ss_model *model;
    ss_scene *scene = make(context, SHAPES, "simulation: {step: 1e-3, end: 1}", &model);
    const double q[2] = {0.3, 1};
    ss_pose at;
    assert_int_equal(ss_model_shape(model, 0).frame, 1);
    assert_int_equal(ss_model_shape(model, 2).frame, 0);
    ss_model_shape_pose(model, 0, 0, q, &at);
    assert_true(fabs(at.x[0] - sin(0.3) - sin(1)) < 1e-15);
    ss_model_shape_pose(model, 2, 0, q, &at);
    assert_true(fabs(at.x[2] + 0.1 * cos(0.3)) < 1e-15);
    ss_scene_destroy(scene);
    ss_model_destroy(model);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_steps),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_poses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
