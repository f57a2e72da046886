/* test_generalized_alpha.c: the generalized-α scheme: its equations, step by step; order, damping and
 * drift; a bar that hits a wall. */
#include "stepping.h"

typedef struct constants {
    double alpha_m, alpha_f, gamma, beta;
} constants;

static constants constants_of(double rho)
{
    constants k = {.alpha_m = (2 * rho - 1) / (rho + 1), .alpha_f = rho / (rho + 1)};
    k.gamma = 0.5 + k.alpha_f - k.alpha_m;
    k.beta = (k.gamma + 0.5) * (k.gamma + 0.5) / 4;
    return k;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- A mass of 2 kg on a rod, with a spring and a damper to a point, hits a wall at x = -0.2 ---- */

enum { STIFFNESS = 300, DAMPING = 3 };
static const double MASS = 2, ANCHOR[3] = {-2, -1, 0.5}, DT = 2e-3;

static stepper spherical_pendulum(world *w)
{
    *w = stepping_world();
    add_system(w, "mass", "point", "dim", "3", "mass", "2", "position", "0.6 0 -0.8", "velocity",
               "0 2 0");
    add_force(w, "spring", "spring", "system", "mass", "to_point", "-2 -1 0.5", "stiffness", "300",
              "length", "1");
    add_force(w, "damper", "damper", "system", "mass", "to_point", "-2 -1 0.5", "damping", "3");
    add_element(w, "rod", "distance", "system", "mass", "to_point", "0 0 0", "length", "1");
    add_law(w, "rod", "gap", "bilateral");
    add_element(w, "wall", "expression", "gap", "x+0.2");
    add_law(w, "wall", "gap", "unilateral", "restitution", "0.5");
    return stepper_create(w, "generalized_alpha");
}

static void pull(const double *q, const double *u, double *h)
{
    double r[3], length = 0, rate = 0;
    for (int i = 0; i < 3; i++)
        r[i] = q[i] - ANCHOR[i];
    length = sqrt(dot(r, r));
    rate = dot(r, u) / length;
    for (int i = 0; i < 3; i++)
        h[i] = -(STIFFNESS * (length - 1) + DAMPING * rate) * r[i] / length;
}

/* Parts of x along w_b and w_u, and what is left. */
static double split(const double *x, const double *w_b, double *along_b, double *along_u)
{
    double c = w_b[0], b = dot(x, w_b), u = x[0], left = 0;
    *along_b = (b - c * u) / (1 - c * c);
    *along_u = (u - c * b) / (1 - c * c);
    for (int i = 0; i < 3; i++) {
        double rest = x[i] - *along_b * w_b[i] - (i == 0 ? *along_u : 0);
        left = fmax(left, fabs(rest));
    }
    return left;
}

typedef struct sight {
    int impacts, flights;
    double largest_a;
} sight;

/* Every equation of the step that led from B to E. */
static void check_step(const ss_state *B, const ss_state *E, sight *seen)
{
    const double *q_B = ss_state_q(B), *u_B = ss_state_u(B), *q = ss_state_q(E), *u = ss_state_u(E);
    const double *a_B = ss_state_own(B) + 1, *a = ss_state_own(E) + 1, *rate = a + 3;
    constants k = constants_of(0.8);
    double v[3], U[3], J[3], h[3], rest[3], w[3], r = sqrt(dot(q, q)), P, nu, other;
    for (int i = 0; i < 3; i++) {
        v[i] = u_B[i] + DT * ((1 - k.gamma) * a_B[i] + k.gamma * a[i]);
        U[i] = q[i] - q_B[i] - DT * (u_B[i] + DT * ((0.5 - k.beta) * a_B[i] + k.beta * a[i]));
        J[i] = u[i] - v[i];
        w[i] = q[i] / r;
        seen->largest_a = fmax(seen->largest_a, fabs(a[i]));
    }
    pull(q, u, h);
    for (int i = 0; i < 3; i++)
        rest[i] = MASS * rate[i] - h[i];
    double along = dot(rest, w);
    for (int i = 0; i < 3; i++)
        assert_near(rest[i], along * w[i], 1e-6); /* of 600 N */
    assert_near(r, 1, 1e-13);                     /* positions */
    assert_near(dot(w, v), 0, 1e-9);              /* smooth velocities */
    assert_near(dot(w, u), 0, 1e-9);              /* velocities */
    double gap = q[0] + 0.2;
    assert_true(gap >= -1e-13);
    assert_near(split(U, w, &other, &nu), 0, 1e-12);
    assert_true(nu >= -1e-13 && fabs(nu * gap) < 1e-12);
    assert_near(split(J, w, &other, &P), 0, 1e-9);
    assert_true(P >= -1e-9);
    if (P > 1e-6) {
        seen->impacts++;
        assert_near(u[0], -0.5 * u_B[0], 1e-9);
    } else {
        seen->flights++;
        assert_near(sqrt(dot(J, J)), 0, 1e-9);
    }
}

/* Smooth motion, jump and correction hold together; the blow that the rod takes in an impact, some
 * 1000 m/s², is not part of the smooth motion. */
static void all_equations_hold_at_once(void **state)
{
    (void)state;
    world w;
    sight seen = {0};
    stepper s = spherical_pendulum(&w);
    stepper_step(&s, DT);
    for (int i = 0; i < 1000; i++) {
        stepper_step(&s, DT);
        check_step(s.next, s.now, &seen);
    }
    assert_true(seen.impacts > 100 && seen.flights > 100);
    assert_true(seen.largest_a < 400);
    stepper_destroy(&s);
}

/* ---- Order and drift: a pendulum under gravity, from 1 rad ---- */

typedef struct swing {
    double phi, omega;
} swing;

/* φ'' = -9.81 sin φ by Runge and Kutta with 1e5 steps. */
static swing exact_swing(double end)
{
    enum { STEPS = 100000 };
    double dt = end / STEPS;
    swing s = {1, 0};
    for (int i = 0; i < STEPS; i++) {
        double k1 = s.omega, l1 = -9.81 * sin(s.phi);
        double k2 = s.omega + dt / 2 * l1, l2 = -9.81 * sin(s.phi + dt / 2 * k1);
        double k3 = s.omega + dt / 2 * l2, l3 = -9.81 * sin(s.phi + dt / 2 * k2);
        double k4 = s.omega + dt * l3, l4 = -9.81 * sin(s.phi + dt * k3);
        s.phi += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        s.omega += dt / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return s;
}

/* Errors of position, velocity and force of the rod. */
static void swing_errors(const char *scheme, int steps, double error[3])
{
    world w = stepping_world();
    char q0[64];
    double end = 2;
    swing e = exact_swing(end);
    snprintf(q0, sizeof q0, "%.17g %.17g", sin(1), -cos(1));
    add_system(&w, "mass", "point", "dim", "2", "mass", "1", "position", q0);
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(&w, "rod", "distance", "system", "mass", "to_point", "0 0", "length", "1");
    add_law(&w, "rod", "gap", "bilateral");
    stepper s = stepper_create(&w, scheme);
    for (int i = 0; i < steps; i++) {
        stepper_step(&s, end / steps);
        assert_near(hypot(s.q[0], s.q[1]), 1, 1e-13);
        assert_near(s.q[0] * s.u[0] + s.q[1] * s.u[1], 0, 1e-10);
    }
    error[0] = hypot(s.q[0] - sin(e.phi), s.q[1] + cos(e.phi));
    error[1] = hypot(s.u[0] - e.omega * cos(e.phi), s.u[1] - e.omega * sin(e.phi));
    double force = 9.81 * cos(e.phi) + e.omega * e.omega;
    error[2] = fabs(fabs(ss_state_P(s.now)[0]) * steps / end - force);
    stepper_destroy(&s);
}

static void order_two_on_a_pendulum(void **state)
{
    (void)state;
    const char *schemes[] = {"generalized_alpha", "generalized_alpha rho=0.2",
                             "generalized_alpha rho=1"};
    for (int i = 0; i < 3; i++) {
        double coarse[3], fine[3];
        swing_errors(schemes[i], 200, coarse);
        swing_errors(schemes[i], 800, fine);
        for (int k = 0; k < 3; k++)
            if (!(fabs(log2(coarse[k] / fine[k]) / 2 - 2) < 0.15))
                fail_msg("%s: order %.3f of number %d", schemes[i], log2(coarse[k] / fine[k]) / 2,
                         k);
    }
}

/* Two masses on a stiff spring (ω = 1.4e4 /s) that swing together on a soft one, x = cos ωt: steps a
 * hundred times too large for the stiff one. */
static double stiff_error(int steps)
{
    world w = stepping_world();
    double end = 2, omega = sqrt(5), k = 1e8; /* 2 x'' = -10 x, within 1e-7 */
    char first[64];
    snprintf(first, sizeof first, "1 %.17g", k / (k - omega * omega));
    /* the second mass follows the first: (k - ω²) x2 = k x1 */
    double soft = 2 * omega * omega + omega * omega * (k / (k - omega * omega) - 1);
    char stiffness[128];
    snprintf(stiffness, sizeof stiffness, "%.17g -1e8; -1e8 1e8", k + soft);
    add_system(&w, "m", "linear", "coordinates", "x y", "mass", "1 1", "stiffness", stiffness,
               "position", first);
    stepper s = stepper_create(&w, "generalized_alpha");
    stepper_run(&s, end, steps);
    double error = hypot(s.q[0] - cos(omega * end), s.u[0] + omega * sin(omega * end));
    stepper_destroy(&s);
    return error;
}

static void order_two_on_a_stiff_system(void **state)
{
    (void)state;
    assert_near(log2(stiff_error(200) / stiff_error(800)) / 2, 2, 0.1);
}

/* ---- Damping: the recursion of the method for x'' = -ω² x, written out ---- */

typedef struct recursion {
    double q, u, a; /* with Δt = 1 */
} recursion;

static recursion advance(constants k, double omega, recursion x)
{
    double s = omega * omega;
    double free = x.q + x.u + (0.5 - k.beta) * x.a;
    recursion y;
    y.a = (-(1 - k.alpha_f) * s * free - k.alpha_f * s * x.q - k.alpha_m * x.a) /
          (1 - k.alpha_m + (1 - k.alpha_f) * s * k.beta);
    y.u = x.u + (1 - k.gamma) * x.a + k.gamma * y.a;
    y.q = free + k.beta * y.a;
    return y;
}

/* Spectral radius by ‖Aᴺ‖^(1/N), N = 2^20. */
static double radius(constants k, double omega)
{
    double A[3][3], log_size = 0;
    for (int j = 0; j < 3; j++) {
        recursion e = {j == 0, j == 1, j == 2};
        e = advance(k, omega, e);
        A[0][j] = e.q, A[1][j] = e.u, A[2][j] = e.a;
    }
    for (int n = 0; n < 20; n++) {
        double S[3][3] = {{0}}, size = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                for (int m = 0; m < 3; m++)
                    S[i][j] += A[i][m] * A[m][j];
                size = fmax(size, fabs(S[i][j]));
            }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                A[i][j] = S[i][j] / size;
        log_size = 2 * log_size + log(size);
    }
    return exp(log_size / 1048576);
}

static void damping_is_that_of_the_theory(void **state)
{
    (void)state;
    const double rhos[] = {0, 0.5, 0.8, 1}, omegas[] = {0.1, 1, 3, 30};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            world w = stepping_world();
            char scheme[64], stiffness[64];
            constants k = constants_of(rhos[i]);
            double omega = omegas[j];
            recursion x = {1, 0.3, -omega * omega};
            snprintf(scheme, sizeof scheme, "generalized_alpha rho=%g", rhos[i]);
            snprintf(stiffness, sizeof stiffness, "%.17g", omega * omega);
            add_system(&w, "m", "linear", "coordinates", "x", "mass", "1", "stiffness", stiffness,
                       "position", "1", "velocity", "0.3");
            stepper s = stepper_create(&w, scheme);
            for (int n = 0; n < 100; n++) {
                stepper_step(&s, 1);
                x = advance(k, omega, x);
                double size = fabs(x.q) + fabs(x.u) + fabs(x.a);
                assert_near(s.q[0], x.q, 1e-9 * size);
                assert_near(s.u[0], x.u, 1e-9 * size);
            }
            stepper_destroy(&s);
            assert_true(radius(k, omega) <= 1 + 1e-4);
        }
    for (int i = 0; i < 4; i++)
        assert_near(radius(constants_of(rhos[i]), 1e5), rhos[i], 1e-3);
    assert_near(radius(constants_of(1), 1), 1, 1e-5);
    assert_true(radius(constants_of(0.8), 0.05) > 0.99999); /* low frequencies stay */
}

/* ---- Contacts ---- */

static void a_bouncing_ball_never_penetrates(void **state)
{
    (void)state;
    world w = stepping_world();
    add_system(&w, "ball", "point", "dim", "1", "mass", "1", "position", "0.07");
    add_force(&w, "weight", "gravity", "acceleration", "-9.81");
    add_element(&w, "table", "expression", "gap", "x");
    add_law(&w, "table", "gap", "unilateral", "restitution", "0.7");
    stepper s = stepper_create(&w, "generalized_alpha");
    double first = 9.81 * 0.07, highest = 0, t = 0;
    for (int i = 0; i < 12000; i++) {
        stepper_step(&s, 1e-4);
        t += 1e-4;
        assert_true(s.q[0] >= -1e-16);
        assert_true(stepper_energy(&s) <= first * (1 + 1e-12));
        if (t > 0.1195 && t < 0.2867) /* between the first impacts: .119462 and .286710 s */
            highest = fmax(highest, s.q[0]);
    }
    assert_near(highest, 0.49 * 0.07, 2e-4);
    assert_true(fabs(s.q[0]) < 1e-16 && fabs(s.u[0]) < 1e-12); /* rests from .676951 s on */
    stepper_destroy(&s);
}

/* An elastic bar, 40 masses, flies against a wall: it contacts it for 2L/c, with the force v √(EA ρA),
 * and flies off as fast as it came, though every node hits inelastically. */
static void an_elastic_bar_bounces_off_a_wall(void **state)
{
    (void)state;
    enum { NODES = 40 };
    const double L = 1, EA = 1e4, m = 1, v = 1, duration = 2 * L / sqrt(EA * L / m);
    world w = stepping_world();
    char name[32], before[32], mass[64], place[64], stiffness[64], length[64];
    snprintf(stiffness, sizeof stiffness, "%.17g", EA * (NODES - 1) / L);
    snprintf(length, sizeof length, "%.17g", L / (NODES - 1));
    for (int i = 0; i < NODES; i++) {
        bool end = i == 0 || i == NODES - 1;
        snprintf(name, sizeof name, "n%d", i);
        snprintf(before, sizeof before, "n%d", i - 1);
        snprintf(mass, sizeof mass, "%.17g", m / (NODES - 1) / (end ? 2 : 1));
        snprintf(place, sizeof place, "%.17g", 1e-3 + L * i / (NODES - 1));
        add_system(&w, name, "point", "dim", "1", "mass", mass, "position", place, "velocity",
                   "-1");
        if (i > 0)
            add_force(&w, name, "spring", "system", before, "to", name, "stiffness", stiffness,
                      "length", length);
    }
    add_element(&w, "wall", "expression", "gap", "n0.x");
    add_law(&w, "wall", "gap", "unilateral");
    stepper s = stepper_create(&w, "generalized_alpha rho=0.8");
    const double dt = 1e-4;
    double first = stepper_energy(&s), contact = 0, force = 0, momentum = 0;
    int counted = 0;
    for (int i = 0; i < 400; i++) {
        stepper_step(&s, dt);
        double P = ss_state_P(s.now)[0], since = (i + 1) * dt - 1e-3;
        contact += P > 0 ? dt : 0;
        if (since > 0.2 * duration && since < 0.8 * duration) {
            force += P / dt;
            counted++;
        }
        assert_true(s.q[0] >= -1e-15);
        assert_true(stepper_energy(&s) <= first * (1 + 1e-9));
    }
    for (int i = 0; i < NODES; i++)
        momentum += m / (NODES - 1) / (i == 0 || i == NODES - 1 ? 2 : 1) * s.u[i];
    assert_near(contact, duration, 0.05 * duration);
    assert_near(force / counted, v * sqrt(EA * m / L), 0.03 * v * sqrt(EA * m / L));
    assert_near(momentum / m, v, 0.05 * v);
    stepper_destroy(&s);
}

/* A constraint along a stiff spring, and a contact on what the constraint holds: the iteration
 * converges in few steps, and dependent constraints do no harm. */
static void stiff_constrained_contacts_converge(void **state)
{
    (void)state;
    world w = stepping_world();
    add_system(&w, "m", "linear", "coordinates", "xa ya xb yb", "mass", "1 1 1 1", "stiffness",
               "0 0 0 0; 0 1e9 0 -1e9; 0 0 0 0; 0 -1e9 0 1e9", "damping",
               "0 0 0 0; 0 1e3 0 -1e3; 0 0 0 0; 0 -1e3 0 1e3", "load", "0 -9.81 0 -9.81",
               "velocity", "1 0 1 -1");
    add_element(&w, "rail", "expression", "gap", "ya xb-xa 2*ya");
    add_law(&w, "rail", "gap", "bilateral");
    add_element(&w, "floor", "expression", "gap", "yb+0.001", "slip", "xb'");
    add_law(&w, "floor", "gap", "unilateral", "restitution", "0.3");
    add_law(&w, "floor", "slip", "friction", "mu", "0.3");
    stepper s = stepper_create(&w, "generalized_alpha");
    for (int i = 0; i < 500; i++) {
        stepper_step(&s, 1e-3);
        assert_near(s.q[1], 0, 1e-12);
        assert_near(s.q[2], s.q[0], 1e-12);
        assert_true(s.q[3] + 0.001 >= -1e-12);
    }
    stepper_destroy(&s);
}

/* A bead on a rod that a constraint is, with friction by the force of that constraint: it stops after
 * v/(μ g) and v²/(2 μ g). */
static void friction_on_a_constraint(void **state)
{
    (void)state;
    world w = stepping_world();
    add_system(&w, "bead", "point", "dim", "2", "mass", "2", "velocity", "3 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 -10");
    add_element(&w, "rod", "expression", "gap", "y", "slip", "x'");
    add_law(&w, "rod", "gap", "bilateral");
    add_law(&w, "rod", "slip", "friction", "mu", "0.3");
    stepper s = stepper_create(&w, "generalized_alpha");
    stepper_run(&s, 0.5, 500);
    assert_near(s.u[0], 3 - 0.3 * 10 * 0.5, 1e-9);
    assert_near(s.q[0], 3 * 0.5 - 0.3 * 10 * 0.25 / 2, 1e-9);
    stepper_run(&s, 0.7, 700);
    assert_near(s.u[0], 0, 1e-12);
    assert_near(s.q[0], 1.5, 1e-3);
    assert_near(s.q[1], 0, 1e-15);
    stepper_destroy(&s);
}

/* Friction by the force of a whole joint: a sled on a rail of the slope 0.3 moves with g (sin α - μ cos α), a rotor loses
 * μ ρ m g/J of its speed in a second. */
static void friction_by_the_force_of_a_joint(void **state)
{
    (void)state;
    world w = stepping_world();
    add_system(&w, "sled", "body", "mass", "3", "inertia", "0.1");
    add_element(&w, "rail", "prismatic", "system", "sled", "axis", "1 0 -0.3");
    add_law(&w, "rail", "slip", "joint_friction", "mu", "0.1");
    add_system(&w, "rotor", "body", "mass", "2", "inertia", "0.01 0.02 0.01", "velocity",
               "0 0 0 0 3 0");
    add_element(&w, "pin", "revolute", "system", "rotor", "axis", "0 1 0");
    add_law(&w, "pin", "turn", "joint_friction", "mu", "0.1", "radius", "0.02");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    stepper s = stepper_create(&w, "generalized_alpha");
    stepper_run(&s, 1, 1000);
    double slope = atan(0.3);
    assert_near(s.u[0], 9.81 * (sin(slope) - 0.1 * cos(slope)) * cos(slope), 1e-9);
    assert_near(s.u[10], 3 - 0.1 * 0.02 * 2 * 9.81 / 0.02, 1e-9);
    stepper_run(&s, 1, 1000);
    assert_near(s.u[10], 0, 1e-12);
    stepper_destroy(&s);
}

/* Rotations in space: a symmetric top, free of moments, whose spin axis goes round the angular
 * momentum with L/A. */
static double top_error(int steps)
{
    world w = stepping_world();
    add_system(&w, "top", "body", "mass", "1", "inertia", "1 1 2", "velocity", "0 0 0 1 0 3");
    stepper s = stepper_create(&w, "generalized_alpha");
    stepper_run(&s, 2, steps);
    double e0 = s.q[3], e1 = s.q[4], e2 = s.q[5], e3 = s.q[6];
    double axis[3] = {2 * (e1 * e3 + e0 * e2), 2 * (e2 * e3 - e0 * e1),
                      e0 * e0 + e3 * e3 - e1 * e1 - e2 * e2};
    double Lx = 1, Lz = 6, size = hypot(Lx, Lz), angle = 2 * size;
    double n[3] = {Lx / size, 0, Lz / size}, z[3] = {0, 0, 1}, error = 0;
    double cross[3] = {n[1] * z[2] - n[2] * z[1], n[2] * z[0] - n[0] * z[2],
                       n[0] * z[1] - n[1] * z[0]};
    for (int i = 0; i < 3; i++) {
        double exact =
            z[i] * cos(angle) + cross[i] * sin(angle) + n[i] * dot(n, z) * (1 - cos(angle));
        error = fmax(error, fabs(axis[i] - exact));
    }
    stepper_destroy(&s);
    return error;
}

static void order_two_in_rotations(void **state)
{
    (void)state;
    assert_near(log2(top_error(400) / top_error(1600)) / 2, 2, 0.1);
}

static void reflecting_constraints_are_refused(void **state)
{
    (void)state;
    world w = stepping_world();
    ss_scheme *scheme;
    add_system(&w, "mass", "point", "dim", "2", "mass", "1", "position", "0 -1");
    add_element(&w, "rod", "distance", "system", "mass", "to_point", "0 0", "length", "1");
    add_law(&w, "rod", "gap", "bilateral", "restitution", "1");
    assert_ok(&w, ss_model_seal(w.model));
    assert_ok(&w, try_scheme(&w, "generalized_alpha", &scheme));
    assert_refused(&w, ss_scheme_prepare(scheme, w.model),
                   "the scheme 'generalized_alpha' cannot be used here: a constraint that never "
                   "opens has restitution, and the scheme holds its velocity at zero; moreau, for "
                   "one, reflects it");
    ss_scheme_destroy(scheme);
    world_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_equations_hold_at_once),
        cmocka_unit_test(order_two_on_a_pendulum),
        cmocka_unit_test(order_two_on_a_stiff_system),
        cmocka_unit_test(damping_is_that_of_the_theory),
        cmocka_unit_test(a_bouncing_ball_never_penetrates),
        cmocka_unit_test(an_elastic_bar_bounces_off_a_wall),
        cmocka_unit_test(stiff_constrained_contacts_converge),
        cmocka_unit_test(friction_on_a_constraint),
        cmocka_unit_test(friction_by_the_force_of_a_joint),
        cmocka_unit_test(order_two_in_rotations),
        cmocka_unit_test(reflecting_constraints_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
