/* test_contact_laws.c: the laws of contacts of shapes against closed forms, and which law two materials obey. */
#include "assembly/work.h"
#include "model/body.h"
#include "support/run.h"

#define PI 3.14159265358979323846

static const double G = 9.81;

/* A mass of 1 kg on the floor z = 0, which is the first shape. */
static world mass_on_floor(const char *velocity)
{
    world w = moving_world();
    add_system(&w, "mass", "point", "dim", "3", "mass", "1", "position", "0 0 0.1", "velocity",
               velocity);
    add_shape(&w, "floor", "plane");
    add_shape(&w, "ball", "sphere", "radius", "0.1", "on", "mass");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    return w;
}

/* A ball of 1 kg, 0.1 m and 0.004 kg m². */
static world ball_on_floor(const char *velocity)
{
    world w = moving_world();
    add_system(&w, "ball", "body", "mass", "1", "inertia", "0.004", "position", "0 0 0.1",
               "velocity", velocity);
    add_shape(&w, "floor", "plane");
    add_shape(&w, "ball", "sphere", "radius", "0.1", "on", "ball");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    return w;
}

/* ---- Friction that differs with direction ---- */

/* The force of the ellipse with half axes μ_1 and μ_2 whose normal is along the velocity. */
static void ellipse_force(double angle, const double v[2], double f[2])
{
    const double mu[2] = {0.3, 0.1};
    double along[2] = {cos(angle) * v[0] + sin(angle) * v[1],
                       -sin(angle) * v[0] + cos(angle) * v[1]};
    double length = hypot(mu[0] * along[0], mu[1] * along[1]);
    double g[2] = {-mu[0] * mu[0] * along[0] / length, -mu[1] * mu[1] * along[1] / length};
    f[0] = cos(angle) * g[0] - sin(angle) * g[1];
    f[1] = sin(angle) * g[0] + cos(angle) * g[1];
}

/* The frame of the ellipse is turned in space, or with the body that carries it. */
static void ellipse_follows_its_frame(void **state)
{
    (void)state;
    for (int i = 0; i < 24; i++) {
        double angle = 0.3 * i, v[2] = {cos(0.9 * i), sin(0.9 * i)}, f[2];
        bool carried = i % 2;
        char velocity[100], direction[100], rotation[100];
        snprintf(velocity, sizeof velocity, "%.17g %.17g 0", v[0], v[1]);
        snprintf(direction, sizeof direction, "%.17g %.17g 0", cos(angle), sin(angle));
        snprintf(rotation, sizeof rotation, "0 0 1 %.17g", angle);
        world w = moving_world();
        add_system(&w, "mass", "body", "mass", "1", "inertia", "1e12", "position", "0 0 0.1",
                   "velocity", velocity, "rotation", rotation);
        if (carried)
            add_shape(&w, "ball", "sphere", "radius", "0.1", "on", "mass");
        add_shape(&w, "floor", "plane");
        if (!carried)
            add_shape(&w, "ball", "sphere", "radius", "0.1", "on", "mass");
        add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
        add_element(&w, "contact", "contact", "direction", carried ? "1 0 0" : direction);
        add_law(&w, "contact", "gap", "unilateral");
        add_law(&w, "contact", "slip", "friction", "mu", "0.3 0.1");
        run r = run_create(&w, 1e-5, 1e-5, 1e-13);
        run_to_end(&r);
        ellipse_force(angle, v, f);
        assert_near((r.u[0] - v[0]) / 1e-5, G * f[0], 1e-3 * G * 0.3);
        assert_near((r.u[1] - v[1]) / 1e-5, G * f[1], 1e-3 * G * 0.3);
        run_destroy(&r);
    }
}

/* ---- Restitution ---- */

/* ε_N = 0.5 along the normal; ε_T = 0.4 across it, as far as friction allows. */
static void tangential_restitution(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        world w = mass_on_floor("1 0 -2");
        add_element(&w, "contact", "contact");
        add_law(&w, "contact", "gap", "unilateral", "restitution", "0.5");
        add_law(&w, "contact", "slip", "friction", "mu", rough ? "10" : "0.1", "restitution",
                "0.4");
        run r = run_create(&w, 1e-6, 1e-6, 1e-13);
        run_to_end(&r);
        assert_near(r.u[2], 1, 1e-5);
        assert_near(r.u[0], rough ? -0.4 : 1 - 0.1 * 3, 1e-5);
        run_destroy(&r);
    }
}

/* ---- Friction that depends on the speed ---- */

/* v' = -a / (1 + δ v): v + δ v²/2 falls evenly. */
static void stribeck_on_contacts(void **state)
{
    (void)state;
    world w = mass_on_floor("0.6 0.8 0");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_law(&w, "contact", "slip", "stribeck", "bound", "1", "delta", "2");
    run r = run_create(&w, 1e-4, 1, 1e-13);
    run_to_end(&r);
    double left = 1 + 2.0 / 2 - 1 * 1.0, v = (sqrt(1 + 2 * 2 * left) - 1) / 2;
    assert_near(hypot(r.u[0], r.u[1]), v, 1e-3);
    assert_near(r.u[0] / r.u[1], 0.75, 1e-9);
    run_destroy(&r);
}

/* A curve of Stribeck: 0.4 at rest, 0.2 from 1 m/s on, times the normal force. */
static void characteristic_on_contacts(void **state)
{
    (void)state;
    world w = mass_on_floor("0 3 0");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_law(&w, "contact", "slip", "characteristic", "mu", "0.4 0.2", "speed", "0 1");
    run r = run_create(&w, 1e-3, 0.5, 1e-13);
    run_to_end(&r);
    assert_near(r.u[1], 3 - 0.2 * G * 0.5, 1e-9);
    run_destroy(&r);
    for (int i = 0; i < 2; i++) { /* pulled with less or more than at rest it can hold */
        world held = mass_on_floor("0 0 0");
        add_element(&held, "contact", "contact");
        add_law(&held, "contact", "gap", "unilateral");
        add_law(&held, "contact", "slip", "characteristic", "mu", "0.4 0.2", "speed", "0 1");
        add_force(&held, "pull", "load", "on", "mass.x", "force", i ? "0.41*9.81" : "0.39*9.81");
        r = run_create(&held, 1e-3, 0.5, 1e-13);
        run_to_end(&r);
        assert_true(i ? r.u[0] > 0.05 : fabs(r.u[0]) < 1e-14);
        run_destroy(&r);
    }
}

/* The same of a ball. Its foot slides from 3 m/s to 3 - 3.5 0.2 G t > 1 m/s. */
static void characteristic_of_a_ball(void **state)
{
    (void)state;
    const double t = 0.25;
    world w = ball_on_floor("3 0 0");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_law(&w, "contact", "slip", "characteristic", "mu", "0.4 0.2", "speed", "0 1");
    run r = run_create(&w, 1e-3, t, 1e-13);
    run_to_end(&r);
    assert_near(r.u[0], 3 - 0.2 * G * t, 1e-9);
    assert_near(r.u[4], 0.2 * G * t * 0.1 / 0.004, 1e-8);
    run_destroy(&r);
}

/* ---- Several laws at once ---- */

/* A ball that rolls and spins: rolling friction takes its speed, drilling friction its spin, and sliding friction keeps it
 * rolling. m r² / J = 2.5. */
static void slip_spin_and_roll_together(void **state)
{
    (void)state;
    world w = ball_on_floor("1 0 0 0 10 20");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_law(&w, "contact", "slip", "friction", "mu", "0.5");
    add_law(&w, "contact", "spin", "friction", "mu", "1e-3");
    add_law(&w, "contact", "roll", "friction", "mu", "2e-3");
    run r = run_create(&w, 1e-3, 2, 1e-13);
    run_to_end(&r);
    double v = 1 - 2 * 2e-3 / 0.1 * G / 1.4;
    assert_near(r.u[0], v, 1e-9);
    assert_near(r.u[4], v / 0.1, 1e-8);
    assert_near(r.u[5], 20 - 2 * 1e-3 * G / 0.004, 1e-8);
    run_destroy(&r);
}

/* Drilling friction in one law with sliding: a ball that spins while it slides is resisted less than one that does not, by
 * the law of the ellipsoid. */
static void contensou_on_contacts(void **state)
{
    (void)state;
    for (int spinning = 0; spinning < 2; spinning++) {
        world w = ball_on_floor(spinning ? "1 0 0 0 0 50" : "1 0 0 0 0 0");
        add_element(&w, "contact", "contact", "length", "0.02");
        add_law(&w, "contact", "gap", "unilateral");
        add_law(&w, "contact", "slip_spin", "friction", "mu", "0.3 0.3 0.2");
        run r = run_create(&w, 1e-6, 1e-6, 1e-13);
        run_to_end(&r);
        double speed = spinning ? 0.02 * 50 : 0, length = hypot(0.3, 0.2 * speed);
        assert_near((1 - r.u[0]) / 1e-6, 0.3 * 0.3 / length * G, 1e-3);
        if (spinning)
            assert_near((50 - r.u[5]) / 1e-6, 0.02 * 0.2 * 0.2 * speed / length * G / 0.004, 0.1);
        run_destroy(&r);
    }
}

/* ---- Which law ---- */

/* Masses of three materials on floors of two: the rule that names more materials counts. */
static void the_nearest_rule_counts(void **state)
{
    (void)state;
    static const struct {
        const char *material, *y;
        double mu;
    } masses[] = {{"steel", "-5", 0.3}, {"wood", "-5", 0}, {"wood", "5", 0.1}, {"ice", "5", 0}};
    world w = moving_world();
    add_shape(&w, "ice", "box", "size", "100 9 1", "at", "0 -5 -0.5", "material", "ice");
    add_shape(&w, "planks", "box", "size", "100 9 1", "at", "0 5 -0.5", "material", "wood");
    for (int i = 0; i < 4; i++) {
        char name[8] = {(char)('a' + i), 0}, position[32];
        snprintf(position, sizeof position, "%d %s 0.1", i, masses[i].y);
        add_system(&w, name, "point", "dim", "3", "mass", "1", "position", position, "velocity",
                   "2 0 0");
        add_shape(&w, name, "sphere", "radius", "0.1", "on", name, "material", masses[i].material);
    }
    add_element(&w, "any", "contact");
    add_element(&w, "slippery", "contact", "between", "ice");
    add_element(&w, "pair", "contact", "between", "steel ice");
    add_law(&w, "any", "gap", "unilateral");
    add_law(&w, "any", "slip", "friction", "mu", "0.1");
    add_law(&w, "slippery", "gap", "unilateral");
    add_law(&w, "pair", "gap", "unilateral");
    add_law(&w, "pair", "slip", "friction", "mu", "0.3");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    run r = run_create(&w, 1e-3, 0.5, 1e-13);
    run_to_end(&r);
    for (int i = 0; i < 4; i++)
        assert_near(r.u[3 * i], 2 - masses[i].mu * G * 0.5, 1e-9);
    run_destroy(&r);
}

/* What has no rule falls through. */
static void without_a_rule_nothing_meets(void **state)
{
    (void)state;
    world w = mass_on_floor("0 0 0");
    add_shape(&w, "other", "sphere", "radius", "0.1", "on", "mass", "material", "air");
    add_element(&w, "contact", "contact", "between", "air stone");
    add_law(&w, "contact", "gap", "unilateral");
    run r = run_create(&w, 1e-3, 0.1, 1e-13);
    run_to_end(&r);
    assert_near(r.u[2], -G * 0.1, 1e-12);
    run_destroy(&r);
}

/* ---- Compounds ---- */

/* A dumbbell of a light and a heavy ball lies on both: the contacts carry the weight of their balls. */
static void compound_lies_on_its_parts(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "dumbbell", "body", "position", "0 0 0.1");
    add_shape(&w, "floor", "plane");
    add_shape(&w, "light", "sphere", "radius", "0.1", "on", "dumbbell", "at", "-0.3 0 0", "density",
              "500");
    add_shape(&w, "heavy", "sphere", "radius", "0.1", "on", "dumbbell", "at", "0.3 0 0", "density",
              "1500");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_law(&w, "contact", "slip", "friction", "mu", "0.3");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    run r = run_create(&w, 1e-3, 0.1, 1e-13);
    run_to_end(&r);
    double V = 4.0 / 3 * PI * 1e-3;
    const ss_state *now = ss_simulation_state(r.simulation);
    assert_near(r.q[0], 0.3 * (1500 - 500) / 2000, 1e-14); /* the centre of mass */
    assert_int_equal(ss_state_contact_count(now), 2);
    assert_near(ss_state_contacts(now)[0].P[2] / 1e-3, 500 * V * G, 1e-8);
    assert_near(ss_state_contacts(now)[1].P[2] / 1e-3, 1500 * V * G, 1e-8);
    assert_near(ss_state_contacts(now)[0].x[0], -0.3, 1e-12);
    run_destroy(&r);
}

/* With `implicit` drag acts at the end of a step, u = u / (1 + d Δt/m), also on a ball that contacts the floor: SORprox's round
 * form of such contacts cannot follow, and is not used. */
static void implicit_forces_on_balls(void **state)
{
    (void)state;
    enum { STEPS = 10 };
    world w = moving_world();
    add_system(&w, "ball", "body", "mass", "1", "inertia", "0.004", "position", "0 0 0.1",
               "velocity", "1 0 0");
    add_shape(&w, "ball", "sphere", "radius", "0.1", "on", "ball");
    add_shape(&w, "floor", "plane");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    add_force(&w, "drag", "load", "on", "ball.x'", "force", "-500*ball.x'");
    run r = run_create_with(&w, "sorprox", "implicit", "true", 1e-3, 1, 1e-12);
    for (int i = 0; i < STEPS; i++)
        run_step(&r);
    assert_near(r.u[0], pow(1.5, -STEPS), 1e-11);
    assert_near(r.u[2], 0, 1e-11);
    run_destroy(&r);
}

static void refuse_law(const char *group, const char *type, const char *key, const char *value)
{
    world w = mass_on_floor("0 0 0");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", strcmp(group, "gap") == 0 ? "slip" : "gap",
            strcmp(group, "gap") == 0 ? "friction" : "unilateral",
            strcmp(group, "gap") == 0 ? "bound" : "restitution", "0");
    add_law(&w, "contact", group, type, key, value);
    assert_int_equal(ss_model_seal(w.model), SS_INPUT);
    assert_non_null(strstr(ss_context_message(w.context), "not for contacts of shapes"));
    world_destroy(&w);
}

/* Those with a force or a speed of their own, and those that would take two rows one by one. */
static void laws_of_joints_are_refused(void **state)
{
    (void)state;
    refuse_law("slip", "bilateral", "restitution", "0");
    refuse_law("slip", "motor", "speed", "1");
    refuse_law("gap", "spring_damper", "stiffness", "1");
}

/* Whatever its size: a rule has rows for all groups that it may have. */
static void matrices_of_restitution_are_refused(void **state)
{
    const char *sizes[] = {"0.5", "0.5 0 0; 0 0.5 0; 0 0 0.5"};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        world w = mass_on_floor("0 0 0");
        assert_int_equal(try_element(&w, "contact", "contact", "restitution", sizes[i]), SS_INPUT);
        assert_non_null(strstr(ss_context_message(w.context),
                               "a matrix of restitution is not for contacts of shapes"));
        world_destroy(&w);
    }
}

/* Contacts are found where shapes meet. A stop there is as good as a unilateral law. */
static void stops_of_contacts_are_at_zero(void **state)
{
    (void)state;
    refuse_law("gap", "stop", "lower", "0.01");
    refuse_law("gap", "stop", "lower", "-0.01");
    refuse_law("gap", "stop", "upper", "0.01");
    world w = mass_on_floor("0 0 0");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "stop", "lower", "0");
    run r = run_create(&w, 1e-3, 1, 1e-12);
    for (int i = 0; i < 50; i++)
        run_step(&r);
    assert_near(r.u[2], 0, 1e-14);
    assert_near(r.q[2], 0.1, 1e-14);
    run_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ellipse_follows_its_frame),
        cmocka_unit_test(tangential_restitution),
        cmocka_unit_test(stribeck_on_contacts),
        cmocka_unit_test(characteristic_on_contacts),
        cmocka_unit_test(characteristic_of_a_ball),
        cmocka_unit_test(slip_spin_and_roll_together),
        cmocka_unit_test(contensou_on_contacts),
        cmocka_unit_test(the_nearest_rule_counts),
        cmocka_unit_test(without_a_rule_nothing_meets),
        cmocka_unit_test(compound_lies_on_its_parts),
        cmocka_unit_test(implicit_forces_on_balls),
        cmocka_unit_test(laws_of_joints_are_refused),
        cmocka_unit_test(matrices_of_restitution_are_refused),
        cmocka_unit_test(stops_of_contacts_are_at_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
