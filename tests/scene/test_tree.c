/* test_tree.c: trees against the same mechanisms made of bodies and joints, and against Lagrange's equations; M, h, frames and
 * Jacobians against each other; energy; contacts of links; what is refused. */
#include "scene/scenes.h"

#include <math.h>
#include <stdlib.h>

#define EVENTS \
    "simulation: {type: event_driven, output: 0.05, end: 0.4, relative: 1e-11, absolute: 1e-13}\n"
#define AUGMENTED                                                                                 \
    "simulation: {type: augmented, step_max: 0.02, step_min: 1e-9, end: 0.4, absolute_q: 1e-12, " \
    "relative_q: 0, absolute_u: 1e-12, relative_u: 0, order_max: 10}\n"
#define GRAVITY         "forces: {weight: {type: gravity, acceleration: [1, -2, -9.81]}}\n"
#define SHAPE(name, on) "  " name ": {type: box, size: [0.1, 0.2, 0.3], on: " on "}\n"

static ss_scene *make(ss_context *context, const char *objects, const char *simulation)
{
    char text[8192];
    snprintf(text, sizeof text, "%s%s", objects, simulation);
    return parse(context, text, NULL);
}

/* Where the n-th shape of a scene is now. */
static ss_pose shape_of(ss_scene *scene, int shape)
{
    ss_pose pose;
    const ss_state *state = ss_simulation_state(ss_scene_simulation(scene));
    ss_model_shape_pose(ss_scene_model(scene), shape, ss_state_time(state), ss_state_q(state),
                        &pose);
    return pose;
}

/* Runs both to the end; their shapes are where the others are. */
static void compare(const char *tree, const char *bodies, const char *simulation, double tolerance)
{
    ss_context *context = make_context();
    ss_scene *a = make(context, tree, simulation), *b = make(context, bodies, simulation);
    int shapes = ss_model_sizes(ss_scene_model(a)).n_shapes;
    double moved = 0;
    ss_pose first = shape_of(a, shapes - 1);
    assert_int_equal(shapes, ss_model_sizes(ss_scene_model(b)).n_shapes);
    advance(a, 1000000);
    advance(b, 1000000);
    for (int i = 0; i < shapes; i++) {
        ss_pose p = shape_of(a, i), q = shape_of(b, i);
        for (int k = 0; k < 3; k++)
            if (!(fabs(p.x[k] - q.x[k]) <= tolerance))
                fail_msg("shape %d, x%d: %.15g is not %.15g", i, k, p.x[k], q.x[k]);
        for (int k = 0; k < 9; k++)
            if (!(fabs(p.A[k] - q.A[k]) <= tolerance))
                fail_msg("shape %d, A%d: %.15g is not %.15g", i, k, p.A[k], q.A[k]);
    }
    ss_pose last = shape_of(a, shapes - 1);
    for (int k = 0; k < 3; k++)
        moved = fmax(moved, fabs(last.x[k] - first.x[k]));
    assert_true(moved > 0.03);
    ss_scene_destroy(a);
    ss_scene_destroy(b);
    ss_context_destroy(context);
}

/* ---- A chain with every joint, fixed in space. Link frames are at the joints, bodies at their centres. ---- */

#define CHAIN_TREE                                                                                \
    "systems:\n  t:\n    type: tree\n    links:\n"                                                \
    "      a: {joint: hinge, axis: [1, 2, 0], at: [0, 0, 1], mass: 2, centre: [0.3, 0, 0],"       \
    " inertia: [0.1, 0.2, 0.25, 0.01, -0.02, 0.03]}\n"                                            \
    "      b: {parent: a, joint: ball, at: [0.6, 0, 0], mass: 1, centre: [0, 0.2, 0],"            \
    " inertia: [0.05, 0.04, 0.06]}\n"                                                             \
    "      plate: {parent: b, at: [0, 0.2, 0.1], mass: 0.5, inertia: 0.01}\n"                     \
    "      c: {parent: b, joint: slide, axis: [0, 3, 1], at: [0, 0.4, 0], mass: 0.7,"             \
    " inertia: [0.01, 0.02, 0.03], stiffness: 20, rest: 0.05, damping: 0.3}\n"                    \
    "      d: {parent: c, joint: universal, axis: [1, 0, 0], cross_axis: [0, 0, 1],"              \
    " at: [0, 0.1, 0.1], mass: 0.4, centre: [0, 0, -0.2], inertia: [0.02, 0.01, 0.01]}\n" GRAVITY \
    "shapes:\n" SHAPE("sa", "t.a, at: [0.3, 0, 0]") SHAPE("sb", "t.b, at: [0, 0.2, 0]")           \
        SHAPE("sc", "t.c") SHAPE("sd", "t.d, at: [0, 0, -0.2]")

#define CHAIN_BODIES                                                                         \
    "systems:\n"                                                                             \
    "  a: {type: body, mass: 2, position: [0.3, 0, 1],"                                      \
    " inertia: [0.1, 0.2, 0.25, 0.01, -0.02, 0.03]}\n"                                       \
    "  b: {type: body, mass: 1, position: [0.6, 0.2, 1], inertia: [0.05, 0.04, 0.06]}\n"     \
    "  plate: {type: body, mass: 0.5, position: [0.6, 0.2, 1.1], inertia: 0.01}\n"           \
    "  c: {type: body, mass: 0.7, position: [0.6, 0.4, 1], inertia: [0.01, 0.02, 0.03]}\n"   \
    "  d: {type: body, mass: 0.4, position: [0.6, 0.5, 0.9], inertia: [0.02, 0.01, 0.01]}\n" \
    "elements:\n"                                                                            \
    "  h: {type: revolute, system: a, at: [0, 0, 1], axis: [1, 2, 0]}\n"                     \
    "  s: {type: spherical, system: b, to: a, at: [0.6, 0, 1]}\n"                            \
    "  f: {type: fixed, system: plate, to: b, at: [0.6, 0.2, 1.1]}\n"                        \
    "  p: {type: prismatic, system: c, to: b, at: [0.6, 0.4, 1], axis: [0, 3, 1],"           \
    " laws: {slide: {type: spring_damper, stiffness: 20, damping: 0.3, rest: 0.05}}}\n"      \
    "  u: {type: universal, system: d, to: c, at: [0.6, 0.5, 1.1], axis: [0, 0, 1],"         \
    " cross_axis: [1, 0, 0]}\n" GRAVITY "shapes:\n" SHAPE("sa", "a") SHAPE("sb", "b")        \
        SHAPE("sc", "c") SHAPE("sd", "d")

static void test_chain_event_driven(void **state)
{
    (void)state;
    compare(CHAIN_TREE, CHAIN_BODIES, EVENTS, 1e-9);
}

static void test_chain_augmented(void **state)
{
    (void)state;
    compare(CHAIN_TREE, CHAIN_BODIES, AUGMENTED, 1e-9);
}

/* ---- A free base with two legs; a torque and a force on the base, a stop, dry friction, a spring between links and one to a
 * body of its own, and a loop closed by a ball joint ---- */

#define LOADS(base)                                                                              \
    "  push: {type: load, on: [" base ".x', " base ".wz, " base ".wx], force: [3, 0.4, -0.2]}\n" \
    "  weight: {type: gravity, acceleration: [0, 0, -2]}\n"

#define FREE_TREE                                                                                  \
    "systems:\n  t:\n    type: tree\n    links:\n"                                                 \
    "      base: {joint: free, at: [0.1, 0.2, 0.3], mass: 3, inertia: [0.2, 0.3, 0.4]}\n"          \
    "      left: {parent: base, joint: hinge, axis: [0, 1, 0], at: [0.3, 0.2, 0], mass: 1,"        \
    " centre: [0, 0, -0.3], inertia: [0.03, 0.03, 0.01], limits: [-1, 0.02]}\n"                    \
    "      right: {parent: base, joint: hinge, axis: [0, 1, 0], at: [0.3, -0.2, 0], mass: 1,"      \
    " centre: [0, 0, -0.3], inertia: [0.03, 0.03, 0.01], friction: 0.05, armature: 0}\n"           \
    "      foot: {parent: right, joint: ball, at: [0, 0, -0.6], mass: 0.5, centre: [0.2, 0, 0],"   \
    " inertia: [0.01, 0.02, 0.02]}\n"                                                              \
    "  other: {type: body, mass: 0.6, inertia: 0.05, position: [0.8, 0, -0.3]}\n"                  \
    "elements:\n  close: {type: spherical, system: other, to: t.foot, at: [0.8, 0, -0.3]}\n"       \
    "forces:\n" LOADS(                                                                             \
        "t") "  s: {type: spring, system: t.left, point: [0, 0, -0.6], to: t.foot, stiffness: 30," \
             " length: 0.3}\n"                                                                     \
             "  d: {type: damper, system: t.base, to: other, damping: 0.5}\n"                      \
             "shapes:\n" SHAPE("s0", "t.base") SHAPE("s1", "t.left, at: [0, 0, -0.3]")             \
                 SHAPE("s2", "t.right, at: [0, 0, -0.3]") SHAPE("s3", "t.foot, at: [0.2, 0, 0]")   \
                     SHAPE("s4", "other")

#define FREE_BODIES                                                                               \
    "systems:\n"                                                                                  \
    "  base: {type: body, mass: 3, position: [0.1, 0.2, 0.3], inertia: [0.2, 0.3, 0.4]}\n"        \
    "  left: {type: body, mass: 1, position: [0.4, 0.4, 0], inertia: [0.03, 0.03, 0.01]}\n"       \
    "  right: {type: body, mass: 1, position: [0.4, 0, 0], inertia: [0.03, 0.03, 0.01]}\n"        \
    "  foot: {type: body, mass: 0.5, position: [0.6, 0, -0.3], inertia: [0.01, 0.02, 0.02]}\n"    \
    "  other: {type: body, mass: 0.6, inertia: 0.05, position: [0.8, 0, -0.3]}\n"                 \
    "elements:\n"                                                                                 \
    "  l: {type: revolute, system: left, to: base, at: [0.4, 0.4, 0.3], axis: [0, 1, 0],"         \
    " laws: {angle: {type: stop, lower: -1, upper: 0.02}}}\n"                                     \
    "  r: {type: revolute, system: right, to: base, at: [0.4, 0, 0.3], axis: [0, 1, 0],"          \
    " laws: {turn: {type: friction, bound: 0.05}}}\n"                                             \
    "  f: {type: spherical, system: foot, to: right, at: [0.4, 0, -0.3]}\n"                       \
    "  close: {type: spherical, system: other, to: foot, at: [0.8, 0, -0.3]}\n"                   \
    "forces:\n" LOADS("base") "  s: {type: spring, system: left, point: [0, 0, -0.3], to: foot, " \
                              "to_point: [-0.2, 0, 0],"                                           \
                              " stiffness: 30, length: 0.3}\n"                                    \
                              "  d: {type: damper, system: base, to: other, damping: 0.5}\n"      \
                              "shapes:\n" SHAPE("s0", "base") SHAPE("s1", "left")                 \
                                  SHAPE("s2", "right") SHAPE("s3", "foot") SHAPE("s4", "other")

static void test_free_event_driven(void **state)
{
    (void)state;
    compare(FREE_TREE, FREE_BODIES, EVENTS, 1e-9);
}

static void test_free_augmented(void **state)
{
    (void)state;
    compare(FREE_TREE, FREE_BODIES, AUGMENTED, 1e-9);
}

/* ---- A double pendulum in absolute angles by Lagrange's equations: x = sin, z = -cos ---- */

static const char *const pendulum_tree =
    "systems:\n  t:\n    type: tree\n    links:\n"
    "      upper: {joint: hinge, axis: [0, -1, 0], mass: 2, centre: [0, 0, -0.4], inertia: 0.1,"
    " start: 2, rate: 1, armature: 0.03}\n"
    "      lower: {parent: upper, joint: hinge, axis: [0, -1, 0], at: [0, 0, -1], mass: 1,"
    " centre: [0, 0, -0.5], inertia: 0.08, start: -1, rate: -3}\n"
    "forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}\n";
static const char *const pendulum_lagrange =
    "systems:\n  t:\n    type: lagrange\n    coordinates: [a, b]\n    position: [2, 1]\n"
    "    velocity: [1, -2]\n"
    "    kinetic: (0.1 + 2*0.4^2 + 0.03)*a'^2/2 + 0.08*b'^2/2 + (a'^2 + 0.25*b'^2 + "
    "a'*b'*cos(a - b))/2\n"
    "    potential: -9.81*(2*0.4*cos(a) + cos(a) + 0.5*cos(b))\n";

static void against_lagrange(const char *simulation)
{
    ss_context *context = make_context();
    ss_scene *tree = make(context, pendulum_tree, simulation);
    ss_scene *lagrange = make(context, pendulum_lagrange, simulation);
    advance(tree, 1000000);
    advance(lagrange, 1000000);
    const double *q = positions(tree), *a = positions(lagrange);
    assert_true(fabs(a[0] - 2) > 0.5);
    assert_true(fabs(q[0] - a[0]) < 1e-9);
    assert_true(fabs(q[0] + q[1] - a[1]) < 1e-9);
    ss_scene_destroy(tree);
    ss_scene_destroy(lagrange);
    ss_context_destroy(context);
}

static void test_lagrange(void **state)
{
    (void)state;
    against_lagrange(EVENTS);
    against_lagrange(AUGMENTED);
}

/* ---- M, h, frames and Jacobians: T = Σ (m v² + ωᵀJω)/2 by frames is uᵀMu/2; h is d/dt of the rest ---- */

/* Kinetic energy from the Jacobians of frames. */
static double kinetic(ss_work *work, const double *u)
{
    static const struct {
        double mass, centre[3], J[6];
    } links[] = {
        {2, {0.3, 0, 0}, {0.1, 0.2, 0.25, 0.01, -0.02, 0.03}},
        {1, {0, 0.2, 0}, {0.05, 0.04, 0.06}},
        {0.5, {0}, {0.01, 0.01, 0.01}},
        {0.7, {0}, {0.01, 0.02, 0.03}},
        {0.4, {0, 0, -0.2}, {0.02, 0.01, 0.01}},
    };
    double T = 0;
    for (int f = 0; f < 5; f++) {
        ss_pose pose;
        double V[6 * 7], twist[6] = {0}, c[3] = {0}, w[3] = {0}, v[3];
        assert_int_equal(ss_work_frame(work, 0, f, &pose, V), SS_OK);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 7; j++)
                twist[i] += V[7 * i + j] * u[j];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                c[i] += pose.A[3 * i + j] * links[f].centre[j];
                w[i] += pose.A[3 * j + i] * twist[3 + j]; /* in its own axes */
            }
        const double *o = twist + 3, *J = links[f].J;
        v[0] = twist[0] + o[1] * c[2] - o[2] * c[1];
        v[1] = twist[1] + o[2] * c[0] - o[0] * c[2];
        v[2] = twist[2] + o[0] * c[1] - o[1] * c[0];
        T += links[f].mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
        T += (J[0] * w[0] * w[0] + J[1] * w[1] * w[1] + J[2] * w[2] * w[2]) / 2;
        T += J[3] * w[0] * w[1] + J[4] * w[0] * w[2] + J[5] * w[1] * w[2];
    }
    return T;
}

static void test_mass(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = make(context, CHAIN_TREE, "simulation: {step: 1e-3, end: 1}\n");
    ss_work *work;
    ss_solver *solver;
    double q[8], u[7], M[49], T, x[7], tau[7], zero[7] = {0}, bias[7];
    check_ok(context, ss_solver_create(context, "auto", NULL, NULL, &solver));
    check_ok(context, ss_work_create(ss_scene_model(scene), solver, &work));
    assert_int_equal(ss_model_system(ss_scene_model(scene), 0).nq, 8);
    srand(7);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 8; i++)
            q[i] = 4.0 * rand() / RAND_MAX - 2;
        double e = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3] + q[4] * q[4]);
        for (int i = 1; i < 5; i++)
            q[i] /= e;
        for (int i = 0; i < 7; i++)
            u[i] = x[i] = 6.0 * rand() / RAND_MAX - 3;
        check_ok(context, ss_work_evaluate(work, 0, q));
        check_ok(context, ss_work_mass_matrix(work, 0, M));
        T = 0;
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 7; j++) {
                assert_true(M[7 * i + j] == M[7 * j + i]);
                T += u[i] * M[7 * i + j] * u[j] / 2;
            }
        assert_true(fabs(T - kinetic(work, u)) < 1e-12 * T);
        ss_work_solve_mass(work, x); /* u = M M⁻¹ u */
        for (int i = 0; i < 7; i++) {
            double back = 0;
            for (int j = 0; j < 7; j++)
                back += M[7 * i + j] * x[j];
            assert_true(fabs(back - u[i]) < 1e-11);
        }
        check_ok(context, ss_work_inverse_dynamics(work, u, x, tau));
        check_ok(context, ss_work_inverse_dynamics(work, u, zero, bias));
        for (int i = 0; i < 7; i++)
            assert_true(fabs(tau[i] - bias[i] - u[i]) < 1e-10);
    }
    ss_work_destroy(work);
    ss_solver_destroy(solver);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void test_frame_names(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = make(context, CHAIN_TREE, "simulation: {step: 1e-3, end: 1}\n");
    int system, frame;
    check_ok(context, ss_model_frame_of(ss_scene_model(scene), "t.c", &system, &frame));
    assert_int_equal(system, 0);
    assert_int_equal(frame, 3);
    assert_string_equal(ss_model_q_name(ss_scene_model(scene), 1).text, "t.b_e0");
    assert_string_equal(ss_model_u_name(ss_scene_model(scene), 6).text, "t.d_2'");
    assert_int_not_equal(ss_model_frame_of(ss_scene_model(scene), "t.e", &system, &frame), SS_OK);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* ---- The energy of an arm that swings freely: as exact as the order of the scheme ---- */

static double energy_error(const char *simulation)
{
    ss_context *context = make_context();
    ss_scene *scene = make(context, pendulum_tree, simulation);
    ss_simulation *run = ss_scene_simulation(scene);
    ss_work *work = ss_simulation_work(run);
    ss_energy before, after;
    check_ok(context, ss_work_energy(work, ss_simulation_state(run), &before));
    advance(scene, 1000000);
    check_ok(context, ss_work_energy(work, ss_simulation_state(run), &after));
    ss_scene_destroy(scene);
    ss_context_destroy(context);
    return fabs(after.kinetic + after.potential - before.kinetic - before.potential);
}

static void test_energy(void **state)
{
    (void)state;
    double coarse = energy_error("simulation: {step: 1e-3, end: 1}\n");
    double fine = energy_error("simulation: {step: 1e-4, end: 1}\n");
    assert_true(fine < coarse / 8 && coarse < 0.2);
    assert_true(energy_error(EVENTS) < 1e-9);
    assert_true(energy_error(AUGMENTED) < 1e-9);
}

/* ---- Contacts: of links with the world and with each other, but not with their neighbours ---- */

static const char *const hand =
    "systems:\n  t:\n    type: tree\n    links:\n"
    "      palm: {joint: slide, axis: [0, 0, 1], mass: 1}\n"
    "      a: {parent: palm, joint: hinge, axis: [0, 1, 0], mass: 0.2, centre: [0.1, 0, 0],"
    " inertia: 1e-3, start: -0.5}\n"
    "      b: {parent: palm, joint: hinge, axis: [0, 1, 0], mass: 0.2, centre: [0.1, 0, 0],"
    " inertia: 1e-3, start: 0.5}\n"
    "forces:\n  weight: {type: gravity, acceleration: [0, 0, -9.81]}\n"
    "  close: {type: load, on: [t.a, t.b], force: [1, -1]}\n"
    "shapes:\n  palm: {type: sphere, radius: 0.05, on: t.palm}\n"
    "  a: {type: sphere, radius: 0.03, on: t.a, at: [0.2, 0, 0]}\n"
    "  b: {type: sphere, radius: 0.03, on: t.b, at: [0.2, 0, 0]}\n"
    "  inner: {type: sphere, radius: 0.01, on: t.a}\n" /* within the palm */
    "  floor: {type: plane, at: [0, 0, -0.4]}\n"
    "elements:\n  contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: friction,"
    " mu: 0.5}}}\n";

static void test_contacts(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = make(context, hand, "simulation: {step: 2e-4, end: 1}\n");
    bool each_other = false, floor = false;
    while (!ss_simulation_done(ss_scene_simulation(scene))) {
        advance(scene, 1);
        const ss_state *now = ss_simulation_state(ss_scene_simulation(scene));
        for (int i = 0; i < ss_state_contact_count(now); i++) {
            const ss_contact *c = &ss_state_contacts(now)[i];
            assert_true(c->b == 4 || (c->a == 1 && c->b == 2));
            each_other = each_other || (c->closed && c->b == 2);
            floor = floor || (c->closed && c->b == 4);
        }
    }
    assert_true(each_other && floor);
    const double *q = positions(scene);
    /* the balls of both fingers, 0.2 m from the palm, touch */
    assert_true(fabs(velocities(scene)[0]) < 1e-9);
    assert_true(fabs(0.4 * sin((q[2] - q[1]) / 2) - 0.06) < 2e-3);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* ---- A quadruped that stands on a slope does not creep ---- */

static void test_quadruped_stands(void **state)
{
    (void)state;
    ss_context *context = make_context();
    const char *settings[] = {"simulation.end=10"};
    ss_scene_options options = {.n_settings = 1, .settings = settings};
    ss_scene *scene = load(context, "scenes/quadruped.yaml", &options);
    int n = ss_model_sizes(ss_scene_model(scene)).n_q;
    double q[32];
    assert_true(n == 19);
    advance(scene, 1000);
    memcpy(q, positions(scene), (size_t)n * sizeof *q);
    advance(scene, 100000);
    assert_true(ss_state_time(ss_simulation_state(ss_scene_simulation(scene))) > 9.99);
    for (int i = 0; i < n; i++)
        assert_true(fabs(positions(scene)[i] - q[i]) < 1e-12);
    assert_true(fabs(q[2] - 0.3502) > 1e-3); /* it has sunk into its springs */
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* ---- What is refused, before the first step ---- */

static void refuse(const char *links, const char *says)
{
    ss_context *context = make_context();
    char text[2048];
    snprintf(text, sizeof text,
             "systems: {t: {type: tree, links: {%s}}}\nsimulation: {step: 1e-3, end: 1}\n", links);
    ss_scene *scene = NULL;
    assert_int_not_equal(ss_scene_parse(context, "test.yaml", text, strlen(text), NULL, &scene),
                         SS_OK);
    if (!strstr(ss_context_message(context), says))
        fail_msg("'%s' does not say '%s'", ss_context_message(context), says);
    ss_context_destroy(context);
}

static void test_refused(void **state)
{
    (void)state;
    refuse("a: {mass: 1}", "'links' has no joint that moves");
    refuse("a: {joint: hinge, mass: 1}", "links.a: 'axis' is missing: a joint of type 'hinge'");
    refuse("a: {joint: hinge, axis: [0, 0, 0], mass: 1}", "links.a: 'axis' must have a direction");
    refuse("a: {joint: hinge, axis: [0, 1, 0]}", "links.a: 'mass' is missing");
    refuse("a: {joint: hinge, axis: [0, 1, 0], armature: 1}, b: {parent: a, joint: slide,"
           " axis: [1, 0, 0]}",
           "links.b: 'mass' is missing");
    refuse("a: {parent: b, mass: 1}, b: {parent: a, mass: 1}", "leads in a circle");
    refuse("thigh: {joint: free, mass: 1, inertia: 1}, b: {parent: tigh, mass: 1}",
           "there is no 'tigh'; did you mean 'thigh'");
    refuse(
        "a: {joint: free, mass: 1, inertia: 1}, b: {parent: a, joint: free, mass: 1, inertia: 1}",
        "links.b: 'joint' cannot be free");
    refuse("a: {joint: hinge, axis: [0, 1, 0], mass: 1, centre: [1, 0, 0], limits: [1, 2]}",
           "links.a: 'start' must be within 'limits', [1, 2]: the joint begins at 0");
    refuse("a: {joint: hinge, axis: [0, 1, 0], mass: -1}", "links.a: 'mass' must be a number >= 0");
    refuse("a: {joint: free, mass: 1, inertia: 1, limits: [0, 1]}", "'limits' does nothing here");
    refuse("a: {joint: hinge, axes: [0, 1, 0]}", "unknown key 'axes'; did you mean 'axis'");
    refuse("a: {joint: hinge, axis: [0, 1, 0], mass: 1, centre: [1, 0, 0], coordinate: t}",
           "'t' cannot be the name of a coordinate");
    refuse("a: 3", "links.a wants a map of keys");
    refuse("", "links");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_event_driven),
        cmocka_unit_test(test_chain_augmented),
        cmocka_unit_test(test_free_event_driven),
        cmocka_unit_test(test_free_augmented),
        cmocka_unit_test(test_lagrange),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_frame_names),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_quadruped_stands),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
