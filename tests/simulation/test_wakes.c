/* test_wakes.c: whatever disturbs a body wakes it in that very step: with sleep and without it things move the same. */
#include "support/run.h"

/* What makes a world; its contacts sleep or not. */
typedef void build_fn(world *w, const char *sleep);

typedef struct one_case {
    build_fn *build;
    const char *solver;   /* sorprox takes balls in a form of their own */
    const char *implicit; /* forces follow the velocities at the end of a step */
    double moves;         /* s, until then the first system rests */
} one_case;

static void add_floor(world *w, const char *sleep)
{
    add_shape(w, "floor", "plane");
    add_element(w, "contact", "contact", "sleep", sleep);
    add_law(w, "contact", "gap", "unilateral");
    add_law(w, "contact", "slip", "friction", "mu", "0.5");
    add_force(w, "weight", "gravity", "acceleration", "0 0 -9.81");
}

/* A box of 1 kg, which friction holds up to 4.905 N. */
static void add_box_at(world *w, const char *place, const char *sleep)
{
    add_system(w, "box", "body", "mass", "1", "inertia", "0.0067", "position", place);
    add_shape(w, "box", "box", "size", "0.2 0.2 0.2", "on", "box");
    add_floor(w, sleep);
}

static void add_box(world *w, const char *sleep)
{
    add_box_at(w, "0 0 0.1", sleep);
}

/* A lever of 1 kg at 0.3 m, 2.943 N m, which friction of its pin holds up to 0.4 m times the force on the pin. */
static void add_lever(world *w, const char *sleep)
{
    add_system(w, "lever", "body", "mass", "1", "inertia", "0.1", "position", "0.3 0 1");
    add_element(w, "pin", "revolute", "system", "lever", "at", "0 0 1", "axis", "0 1 0");
    add_shape(w, "lever", "sphere", "radius", "0.05", "on", "lever");
    add_floor(w, sleep);
}

static void growing_load(world *w, const char *sleep)
{
    add_box(w, sleep);
    add_force(w, "push", "load", "on", "box.x'", "force", "9.81*t");
}

static void swinging_load(world *w, const char *sleep)
{
    add_box(w, sleep);
    add_force(w, "push", "load", "on", "box.x'", "force", "3*sin(20*t)+3*step(t-0.5)");
}

static void spring_drawn_from_outside(world *w, const char *sleep)
{
    add_box(w, sleep);
    add_system(w, "hand", "body", "motion", "1+t 0 0.1");
    add_force(w, "spring", "spring", "system", "box", "to", "hand", "stiffness", "9.81", "length",
              "1");
}

static void damper_drawn_from_outside(world *w, const char *sleep)
{
    add_box(w, sleep);
    add_system(w, "hand", "body", "motion", "1+t^2 0 0.1");
    add_force(w, "damper", "damper", "system", "box", "to", "hand", "damping", "4.905");
}

static void driven_body_comes(world *w, const char *sleep)
{
    add_box(w, sleep);
    add_system(w, "hand", "body", "motion", "t-0.7 0 0.1");
    add_shape(w, "hand", "box", "size", "0.2 0.1 0.1", "on", "hand");
}

static void driven_floor_starts(world *w, const char *sleep)
{
    add_box_at(w, "0 0 0.3", sleep);
    add_system(w, "table", "body", "motion", "(t-0.5)^2*step(t-0.5) 0 0.1");
    add_shape(w, "table", "box", "size", "4 4 0.2", "on", "table");
}

static void motor_starts(world *w, const char *sleep)
{
    add_lever(w, sleep);
    add_law(w, "pin", "turn", "motor", "speed", "step(t-0.5)", "limit", "10");
}

static void joint_friction_held_too_long(world *w, const char *sleep)
{
    add_lever(w, sleep);
    add_law(w, "pin", "turn", "joint_friction", "mu", "0.8", "radius", "0.5");
    add_force(w, "torque", "load", "on", "lever.wy", "force", "2*t"); /* 0.981 N m are free */
}

/* Of 14.0 N on the pin 9.81 N are left: the lever falls, though the torque is as before. */
static void joint_friction_pressed_less(world *w, const char *sleep)
{
    add_lever(w, sleep);
    add_law(w, "pin", "turn", "joint_friction", "mu", "0.8", "radius", "0.35");
    add_force(w, "press", "load", "on", "lever.x'", "force", "-10*step(0.5-t)");
}

static void joint_friction_of_a_slider(world *w, const char *sleep)
{
    add_system(w, "sled", "body", "mass", "1", "inertia", "0.1", "position", "0 0 1");
    add_element(w, "rail", "prismatic", "system", "sled", "axis", "1 0 0");
    add_law(w, "rail", "slip", "joint_friction", "mu", "0.5");
    add_shape(w, "sled", "sphere", "radius", "0.05", "on", "sled");
    add_floor(w, sleep);
    add_force(w, "push", "load", "on", "sled.x'", "force", "9.81*t");
}

static void spring_in_a_joint(world *w, const char *sleep)
{
    add_lever(w, sleep);
    add_law(w, "pin", "turn", "friction", "bound", "3.5");
    add_law(w, "pin", "drive", "spring_damper", "force", "t");
}

static void stribeck_friction(world *w, const char *sleep)
{
    add_lever(w, sleep);
    add_law(w, "pin", "turn", "stribeck", "bound", "3.5", "delta", "1");
    add_force(w, "torque", "load", "on", "lever.wy", "force", "t");
}

static void add_ball(world *w, const char *sleep)
{
    add_system(w, "ball", "body", "mass", "1", "inertia", "0.004", "position", "0 0 0.1");
    add_shape(w, "ball", "sphere", "radius", "0.1", "on", "ball");
    add_floor(w, sleep);
}

static void ball_pushed_aside(world *w, const char *sleep)
{
    add_ball(w, sleep);
    add_force(w, "push", "load", "on", "ball.x'", "force", "step(t-0.5)");
    add_force(w, "press", "load", "on", "ball.z'", "force", "-sin(9*t)");
    add_system(w, "dot", "point", "dim", "1", "mass", "1", "velocity",
               "1"); /* has nothing to do with it */
}

static void ball_met_by_a_driven_ball(world *w, const char *sleep)
{
    add_ball(w, sleep);
    add_system(w, "hand", "body", "motion", "t-0.7 0 0.1");
    add_shape(w, "hand", "sphere", "radius", "0.1", "on", "hand");
}

/* A cart, which comes after gravity and so has no weight, draws the box by a damper, at t m/s. */
static void damper_drawn_by_a_cart(world *w, const char *sleep)
{
    add_box(w, sleep);
    add_system(w, "cart", "body", "mass", "1000", "inertia", "1", "position", "1 0 0.1");
    add_force(w, "damper", "damper", "system", "box", "to", "cart", "damping", "9.8");
    add_force(w, "engine", "load", "on", "cart.x'", "force", "1000+9.8*(cart.x'-box.x')");
}

/* When loads reach what friction holds, by hand: 9.81 t = 4.905 and the like. */
static const one_case cases[] = {
    {growing_load, "auto", "false", 0.5},
    {swinging_load, "auto", "false", 0.66272}, /* sin(20 t) = 0.635 */
    {spring_drawn_from_outside, "auto", "false", 0.5},
    {damper_drawn_from_outside, "auto", "false", 0.5},
    {driven_body_comes, "auto", "false", 0.5},
    {driven_floor_starts, "auto", "false", 0.5},
    {motor_starts, "auto", "false", 0.5},
    {joint_friction_held_too_long, "auto", "false", 0.4905},
    {joint_friction_pressed_less, "auto", "false", 0.5},
    {joint_friction_of_a_slider, "auto", "false", 0.5},
    {spring_in_a_joint, "auto", "false", 0.557},
    {stribeck_friction, "auto", "false", 0.557},
    {ball_pushed_aside, "sorprox", "false", 0.5},
    {ball_met_by_a_driven_ball, "sorprox", "false", 0.5},
    {damper_drawn_by_a_cart, "auto", "false", 0.5005},
    {damper_drawn_by_a_cart, "auto", "true", 0.5005},
    {joint_friction_of_a_slider, "auto", "true", 0.5},
};

static double farthest(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Steps both to 0.75 s: who sleeps is where he would be anyway, to rounding, under the same forces; and he wakes in time. */
static void check(const one_case *c)
{
    static const double still[6] = {0};
    const double dt = 1e-3;
    world w[2] = {moving_world(), moving_world()};
    run r[2];
    c->build(&w[0], "false");
    c->build(&w[1], "true");
    for (int i = 0; i < 2; i++)
        r[i] = run_create_with(&w[i], c->solver, "implicit", c->implicit, dt, 1, 1e-12);
    ss_model_size size = ss_model_sizes(w[0].model);
    while (run_time(&r[0]) < 0.75) {
        run_step(&r[0]);
        run_step(&r[1]);
        assert_near(farthest(r[0].q, r[1].q, size.n_q), 0, 1e-13);
        assert_near(farthest(run_P(&r[0]), run_P(&r[1]), size.n_rows) / dt, 0, 1e-9);
        if (run_time(&r[1]) < c->moves)
            assert_true(farthest(r[1].u, still, 6) == 0);
        else if (run_time(&r[1]) > c->moves + 2 * dt)
            assert_true(farthest(r[1].u, still, 6) > 0);
    }
    run_destroy(&r[0]);
    run_destroy(&r[1]);
}

static void disturbances_wake(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disturbances_wake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
