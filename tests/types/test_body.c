/* test_body.c: rigid bodies in space against differences and closed forms. */
#include "model/body.h"
#include "support/random.h"
#include "types/place.h"

static const char *const frames[] = {"inertial", "body"};

static void at_random(place *p, random_state *r)
{
    const ss_model *model = p->work->model;
    p->t = random_between(r, 0, 2);
    for (int i = 0; i < p->n; i++)
        p->q[i] = random_between(r, -1, 1);
    for (int i = 0; i < p->nu; i++)
        p->u[i] = random_between(r, -2, 2);
    for (int s = 0; s < model->n_systems.count; s++) {
        double *e = p->q + model->systems[s].q_offset + 3;
        double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
        for (int i = 0; model->systems[s].body && i < 4; i++)
            e[i] /= length;
    }
}

static void tensor(double out[9])
{
    const double J[9] = {2, 0.3, -0.2, 0.3, 3, 0.4, -0.2, 0.4, 4};
    memcpy(out, J, sizeof J);
}

static world one_body(const char *frame)
{
    world w = world_create(NULL);
    add_system(&w, "top", "body", "mass", "2", "inertia", "2 3 4 0.3 -0.2 0.4", "frame", frame);
    return w;
}

/* A A ᵀ = 1, det A = 1 for parameters of any length, and it turns about the right axis. */
static void rotation_is_a_rotation(void **state)
{
    (void)state;
    random_state r = {3};
    for (int k = 0; k < 100; k++) {
        double e[4], A[9], c[3];
        for (int i = 0; i < 4; i++)
            e[i] = random_between(&r, -2, 2);
        ss_body_rotation(e, A);
        for (int i = 0; i < 9; i++) {
            double sum = 0;
            for (int j = 0; j < 3; j++)
                sum += A[3 * (i / 3) + j] * A[3 * (i % 3) + j];
            assert_near(sum, i % 4 == 0, 1e-14);
        }
        ss_cross3(A, A + 3, c);
        for (int i = 0; i < 3; i++)
            assert_near(c[i], A[6 + i], 1e-14);
        double axis[3] = {e[1], e[2], e[3]}, same[3];
        ss_turn(A, axis, same);
        for (int i = 0; i < 3; i++)
            assert_near(same[i], axis[i], 1e-13);
    }
    double quarter[4] = {sqrt(0.5), 0, 0, sqrt(0.5)}, A[9], x[3] = {1, 0, 0}, y[3];
    ss_body_rotation(quarter, A); /* about z: x goes to y */
    ss_turn(A, x, y);
    assert_near(y[0], 0, 1e-15);
    assert_near(y[1], 1, 1e-15);
}

/* A' = ω̃ A in space, A' = A ω̃ in the body's axes, by differences along q' = F u. */
static void F_turns_the_axes(void **state)
{
    (void)state;
    random_state r = {5};
    for (int frame = 0; frame < 2; frame++) {
        world w = one_body(frames[frame]);
        place p = place_create(&w);
        for (int k = 0; k < 20; k++) {
            double A[5][9];
            at_random(&p, &r);
            for (int i = 0; i < 5; i++) {
                place_go(&p, (i - 2) * STEP);
                ss_body_rotation(p.work->q + 3, A[i]);
            }
            for (int column = 0; column < 3; column++) {
                double rate[3], expected[3], axis[3], omega[3];
                for (int i = 0; i < 3; i++) {
                    int j = 3 * i + column;
                    rate[i] = difference(STEP, A[0][j], A[1][j], A[3][j], A[4][j]);
                    axis[i] = A[2][j];
                }
                memcpy(omega, p.u + 3, sizeof omega);
                if (frame == 1)
                    ss_turn(A[2], p.u + 3, omega);
                ss_cross3(omega, axis, expected);
                for (int i = 0; i < 3; i++)
                    assert_near(rate[i], expected[i], 1e-9);
            }
        }
        place_destroy(&p);
        world_destroy(&w);
    }
}

/* d/dt (A J Aᵀ ω) = 0 without forces: the acceleration M⁻¹h keeps the angular momentum, by differences. */
static void free_body_keeps_its_angular_momentum(void **state)
{
    (void)state;
    random_state r = {11};
    double J[9];
    tensor(J);
    for (int frame = 0; frame < 2; frame++) {
        world w = one_body(frames[frame]);
        place p = place_create(&w);
        for (int k = 0; k < 20; k++) {
            double L[5][3], a[6], u[6];
            at_random(&p, &r);
            memcpy(u, p.u, sizeof u);
            place_go(&p, 0);
            place_h(&p, a);
            ss_work_solve_mass(p.work, a);
            for (int i = 0; i < 5; i++) {
                double A[9], own[3], spin[3], s = (i - 2) * STEP;
                memcpy(p.u, u, sizeof u);
                place_go(&p, s);
                ss_body_rotation(p.work->q + 3, A);
                for (int j = 0; j < 3; j++)
                    spin[j] = u[3 + j] + s * a[3 + j];
                if (frame == 0)
                    ss_turn_back(A, spin, own);
                else
                    memcpy(own, spin, sizeof own);
                ss_turn(J, own, spin);
                ss_turn(A, spin, L[i]);
            }
            for (int i = 0; i < 3; i++) {
                assert_near(a[i], 0, 0);
                assert_near(difference(STEP, L[0][i], L[1][i], L[3][i], L[4][i]), 0, 1e-8);
            }
        }
        place_destroy(&p);
        world_destroy(&w);
    }
}

/* Kinetic energy from M⁻¹ against ½ m v² + ½ ωᵀJω. */
static void mass_matches_the_energy(void **state)
{
    (void)state;
    random_state r = {13};
    double J[9];
    tensor(J);
    for (int frame = 0; frame < 2; frame++) {
        world w = one_body(frames[frame]);
        place p = place_create(&w);
        at_random(&p, &r);
        place_go(&p, 0);
        double A[9], own[3], L[3], T = 0;
        ss_body_rotation(p.q + 3, A);
        ss_turn_back(A, p.u + 3, own);
        ss_turn(J, frame == 0 ? own : p.u + 3, L);
        for (int i = 0; i < 3; i++)
            T += p.u[i] * p.u[i] + 0.5 * (frame == 0 ? own : p.u + 3)[i] * L[i];
        assert_near(ss_work_kinetic(p.work, 0, p.u), T, 1e-13);
        place_destroy(&p);
        world_destroy(&w);
    }
}

/* h of the first force alone. */
static void force_alone(place *p, double *h)
{
    const ss_model *model = p->work->model;
    const ss_force *force = &model->forces[0];
    double *parts[4];
    memset(h, 0, MOST * sizeof *h);
    for (int k = 0; k < force->connected.count; k++)
        parts[k] = h + model->systems[force->connected.systems[k]].u_offset;
    place_go(p, 0);
    assert_ok(p->w, force->ops->h(force->object.self, &p->work->forces[0], parts));
}

/* ∂h/∂q and ∂h/∂u of the first force against differences. */
static void check_derivatives(place *p)
{
    const ss_model *model = p->work->model;
    int n = model->forces[0].connected.count;
    double dhdq[4][84] = {{0}}, dhdu[4][72] = {{0}}, h[4][MOST];
    double *Q[4] = {dhdq[0], dhdq[1], dhdq[2], dhdq[3]},
           *U[4] = {dhdu[0], dhdu[1], dhdu[2], dhdu[3]};
    const ss_force *force = &model->forces[0];
    place_go(p, 0);
    assert_ok(p->w, force->ops->derivatives(force->object.self, &p->work->forces[0], Q, U));
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            const ss_system *sk = &model->systems[force->connected.systems[k]];
            const ss_system *sl = &model->systems[force->connected.systems[l]];
            for (int j = 0; j < sl->nq + sl->nu; j++) {
                bool velocity = j >= sl->nq;
                double *x = velocity ? p->u + sl->u_offset + j - sl->nq : p->q + sl->q_offset + j;
                double kept = *x;
                for (int i = 0; i < 4; i++) {
                    *x = kept + (double[]){-2, -1, 1, 2}[i] * STEP;
                    force_alone(p, h[i]);
                }
                *x = kept;
                for (int i = 0; i < sk->nu; i++) {
                    int row = sk->u_offset + i;
                    double slope = difference(STEP, h[0][row], h[1][row], h[2][row], h[3][row]);
                    double own = velocity ? U[k * n + l][i * sl->nu + j - sl->nq]
                                          : Q[k * n + l][i * sl->nq + j];
                    assert_near(own, slope, 1e-7);
                }
            }
        }
}

static void gyroscopic_derivatives(void **state)
{
    (void)state;
    random_state r = {17};
    for (int frame = 0; frame < 2; frame++) {
        world w = one_body(frames[frame]);
        place p = place_create(&w);
        for (int k = 0; k < 10; k++) {
            double dhdq[42], dhdu[36], h[4][6];
            at_random(&p, &r);
            place_go(&p, 0);
            const ss_system *s = &p.work->model->systems[0];
            assert_ok(&w, s->ops->derivatives(s->object.self, &p.work->systems[0], dhdq, dhdu));
            for (int j = 0; j < 13; j++) {
                double *x = j < 7 ? p.q + j : p.u + j - 7, kept = *x;
                for (int i = 0; i < 4; i++) {
                    *x = kept + (double[]){-2, -1, 1, 2}[i] * STEP;
                    place_h(&p, h[i]);
                }
                *x = kept;
                for (int i = 0; i < 6; i++)
                    assert_near(j < 7 ? dhdq[7 * i + j] : dhdu[6 * i + j - 7],
                                difference(STEP, h[0][i], h[1][i], h[2][i], h[3][i]), 1e-7);
            }
        }
        place_destroy(&p);
        world_destroy(&w);
    }
}

static world two_bodies(int frame)
{
    world w = world_create(NULL);
    add_system(&w, "a", "body", "mass", "2", "inertia", "2 3 4", "frame", frames[frame]);
    add_system(&w, "b", "body", "mass", "1", "inertia", "1", "frame", frames[1 - frame]);
    return w;
}

static void springs_and_dampers_between_bodies(void **state)
{
    (void)state;
    random_state r = {19};
    for (int k = 0; k < 8; k++) {
        world w = two_bodies(k % 2);
        bool fixed = k / 2 % 2 == 1, spring = k / 4 == 0;
        const char *type = spring ? "spring" : "damper";
        const char *key = spring ? "stiffness" : "damping";
        if (fixed)
            add_force(&w, "f", type, "system", "a", "point", "0.1 0.2 0.3", "to_point", "5 1 2",
                      key, "3");
        else
            add_force(&w, "f", type, "system", "a", "point", "0.1 0.2 0.3", "to", "b", "to_point",
                      "0.3 -0.2 0.1", key, "3");
        place p = place_create(&w);
        for (int i = 0; i < 10; i++) {
            at_random(&p, &r);
            p.q[0] += 5;
            check_derivatives(&p);
            memset(p.u, 0, sizeof p.u); /* no gyroscopic forces */
            if (spring)
                check_potential(&p);
        }
        place_destroy(&p);
        world_destroy(&w);
    }
}

static void elements_of_bodies_agree_with_differences(void **state)
{
    (void)state;
    random_state r = {23};
    for (int k = 0; k < 4; k++) {
        world w = two_bodies(k % 2);
        if (k / 2 == 0)
            add_element(&w, "e", "plane", "system", "a", "point", "0.1 0.2 0.3", "normal", "1 2 -2",
                        "radius", "0.4", "velocity", "1 0 0.5");
        else
            add_element(&w, "e", "distance", "system", "a", "point", "0.1 0.2 0.3", "to", "b",
                        "to_point", "0.3 -0.2 0.1", "length", "1+0.5*sin(t)");
        add_law(&w, "e", "gap", "unilateral");
        place p = place_create(&w);
        for (int i = 0; i < 20; i++) {
            at_random(&p, &r);
            p.q[0] += 5;
            check_element(&p, 0);
        }
        place_destroy(&p);
        world_destroy(&w);
    }
}

/* Expressions of Euler parameters: g' = γ along q' = F u. */
static void expressions_of_bodies_agree_with_differences(void **state)
{
    (void)state;
    random_state r = {29};
    world w = two_bodies(0);
    add_element(&w, "e", "expression", "gap", "a.x*b.e1+a.e0*a.e2-b.z");
    add_law(&w, "e", "gap", "unilateral");
    place p = place_create(&w);
    for (int k = 0; k < 20; k++) {
        double g[4], gamma;
        at_random(&p, &r);
        for (int i = 0; i < 4; i++)
            place_gap(&p, 0, (double[]){-2, -1, 1, 2}[i] * STEP, &g[i]);
        place_velocity(&p, 0, 0, &gamma);
        assert_near(gamma, difference(STEP, g[0], g[1], g[2], g[3]), 1e-9);
    }
    place_destroy(&p);
    world_destroy(&w);
}

/* A ball that rolls to the right on the floor turns clockwise about y: v = ω × r. */
static void ball_rolls_on_a_plane(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "ball", "body", "mass", "1", "inertia", "0.4");
    add_element(&w, "floor", "plane", "system", "ball", "normal", "0 0 1", "radius", "0.5",
                "tangent", "1 0 0");
    add_law(&w, "floor", "gap", "unilateral");
    place p = place_create(&w);
    double gamma[3];
    const double rolling[6] = {1, 0.5, 0, -1, 2, 7};
    p.q[2] = 0.5;
    p.q[3] = 1;
    memcpy(p.u, rolling, sizeof rolling);
    place_velocity(&p, 0, 0, gamma);
    assert_near(gamma[0], 0, 1e-15);
    assert_near(gamma[1], 0, 1e-15);
    assert_near(gamma[2], 0, 1e-15);
    p.u[4] = 0;
    place_velocity(&p, 0, 0, gamma);
    assert_near(gamma[1], 1, 1e-15);
    place_destroy(&p);
    world_destroy(&w);
}

/* A cube of two slabs of different density: mass, centre and inertia by hand. */
static void solids_add_up(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "cube", "body", "position", "1 2 3", "rotation", "0 0 1 pi/2");
    ss_body *body = w.model->systems[0].body;
    const double J1[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3}, c1[3] = {1, 0, 0}, c2[3] = {-0.5, 0, 0};
    ss_body_add_solid(body, 1, c1, J1);
    ss_body_add_solid(body, 3, c2, J1);
    assert_ok(&w, ss_model_seal(w.model));
    assert_near(body->mass, 4, 0);
    assert_near(body->origin[0], 0.125, 1e-15);     /* the centre is at x = (1 - 1.5)/4 = -0.125 */
    const double reduced = 1 * 3 / 4.0 * 1.5 * 1.5; /* reduced mass times distance² */
    assert_near(body->J[0], 2, 1e-14);
    assert_near(body->J[4], 4 + reduced, 1e-14);
    assert_near(body->J[8], 6 + reduced, 1e-14);
    ss_state *at;
    assert_ok(&w, ss_state_create(w.model, &at));
    assert_near(ss_state_q(at)[0], 1, 1e-15); /* the body's x axis points along y */
    assert_near(ss_state_q(at)[1], 2 - 0.125, 1e-15);
    ss_state_destroy(at);
    world_destroy(&w);
}

/* A given mass scales the solids; a given inertia leaves them out. */
static void given_mass_counts(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "body", "mass", "10");
    add_system(&w, "b", "body", "mass", "10", "inertia", "7");
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {1, 0, 0};
    for (int i = 0; i < 2; i++)
        ss_body_add_solid(w.model->systems[i].body, 2, c, J);
    assert_ok(&w, ss_model_seal(w.model));
    assert_near(w.model->systems[0].body->J[4], 5, 1e-15);
    assert_near(w.model->systems[0].body->mass, 10, 0);
    assert_near(w.model->systems[1].body->J[4], 7, 0);
    assert_near(w.model->systems[1].body->origin[0], 0, 0);
    assert_true(w.model->systems[0].constant_mass);
    world_destroy(&w);
}

static void initial_rotations(void **state)
{
    (void)state;
    world w = world_create(NULL);
    const char *J = "1";
    add_system(&w, "none", "body", "mass", "1", "inertia", J);
    add_system(&w, "axis", "body", "mass", "1", "inertia", J, "rotation", "0 0 2 pi/2");
    add_system(&w, "angles", "body", "mass", "1", "inertia", J, "yaw_pitch_roll", "pi/2 0.3 0.2");
    add_system(&w, "seven", "body", "mass", "1", "inertia", J, "position", "1 2 3 2 0 0 0");
    assert_ok(&w, ss_model_seal(w.model));
    const double *q[4];
    for (int i = 0; i < 4; i++)
        q[i] = w.model->systems[i].q0;
    assert_true(q[0][3] == 1 && q[0][4] == 0 && q[0][6] == 0);
    assert_near(q[1][3], sqrt(0.5), 1e-15);
    assert_near(q[1][6], sqrt(0.5), 1e-15);
    assert_true(q[3][0] == 1 && q[3][2] == 3 && q[3][3] == 1);
    double A[9]; /* Rz(90°) Ry(θ) Rx(φ): the body's x axis is (0, cos θ, -sin θ) */
    ss_body_rotation(q[2] + 3, A);
    assert_near(A[0], 0, 1e-15);
    assert_near(A[3], cos(0.3), 1e-15);
    assert_near(A[6], -sin(0.3), 1e-15);
    assert_near(A[7], cos(0.3) * sin(0.2), 1e-15);
    world_destroy(&w);
}

#define refused(text, ...)                                                    \
    do {                                                                      \
        world w_ = world_create(NULL);                                        \
        assert_refused(&w_, try_system(&w_, "b", "body", __VA_ARGS__), text); \
        world_destroy(&w_);                                                   \
    } while (0)

static void bad_bodies_are_refused(void **state)
{
    (void)state;
    refused("system 'b': 'inertia' must be 1, 3, 6 or 9 numbers, not 2", "mass", "1", "inertia",
            "1 2");
    refused("system 'b': 'inertia' must be symmetric", "mass", "1", "inertia", "1 2 0 0 3 0 0 0 4");
    refused("system 'b': 'inertia' needs a 'mass' too", "inertia", "1");
    refused("system 'b': 'mass' must be a number > 0 in kg, not -1", "mass", "-1");
    refused("system 'b': 'mass' must be a number > 0 in kg, not 0", "mass", "0", "inertia", "1");
    refused("system 'b': it cannot be fixed and driven ('motion', 'turn')", "fixed", "true",
            "motion", "0 0 t");
    refused("system 'b': 'motion' must be three expressions of t, for x, y and z", "motion", "0 t");
    refused("system 'b': 'turn' and 'axis' go together", "turn", "t");
    refused("system 'b': 'axis' must have a direction; its length is 0", "turn", "t", "axis",
            "0 0 0");
    refused("system 'b': 'position' must be 3 numbers x, y, z, or 7 with e0, e1, e2, e3, not 2",
            "fixed", "true", "position", "1 2");
    refused("system 'b': 'motion' says where it is; leave 'position' away", "motion", "0 0 t",
            "position", "1 2 3");
    refused("system 'b': give the rotation once: 'rotation', 'yaw_pitch_roll' or the last four "
            "numbers of "
            "'position'",
            "fixed", "true", "rotation", "1 0 0 1", "yaw_pitch_roll", "1 0 0");
    refused("system 'b': e0, e1, e2, e3 of 'position' must be a quaternion of length 1", "fixed",
            "true", "position", "1 2 3 0 0 0 0");
    refused("system 'b': a body that is fixed or driven takes no 'velocity'", "fixed", "true",
            "velocity", "1 2 3");
    refused("system 'b': 'velocity' must be 3 or 6 numbers, x', y', z' and wx, wy, wz, not 2",
            "mass", "1", "velocity", "1 2");
    refused("system 'b': 'rotation' must be an axis and an angle, four numbers, not 3", "fixed",
            "true", "rotation", "1 2 3");
    refused("system 'b': 'motion' may depend on the time t, inputs and parameters only, not on "
            "coordinates: x",
            "motion", "x 0 0");
}

static void bodies_without_mass_are_refused(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "b", "body", "position", "1 2 3");
    assert_refused(
        &w, ss_model_seal(w.model),
        "system 'b': it has no mass; give 'mass' and 'inertia', a shape with a density, or "
        "'fixed: true'");
    world_destroy(&w);
    w = world_create(NULL);
    add_system(&w, "b", "body", "mass", "1");
    assert_refused(&w, ss_model_seal(w.model),
                   "system 'b': it has no inertia; give 'inertia', or a shape that has a volume");
    world_destroy(&w);
    w = world_create(NULL);
    add_system(&w, "b", "body", "mass", "1", "inertia", "1 1 1 2 0 0");
    assert_refused(&w, ss_model_seal(w.model), "system 'b': its inertia is not positive definite");
    world_destroy(&w);
}

static void count_warnings(void *user, ss_log_level level, const char *message)
{
    int *count = user;
    *count += level == SS_LOG_WARNING && strstr(message, "no rigid body has this inertia") != NULL;
}

/* ∫ (y² + z²) dm ≤ ∫ (x² + z²) dm + ∫ (x² + y²) dm. A rod and a plate without thickness are limits. */
static void inertia_of_no_body_is_warned_of(void **state)
{
    (void)state;
    static const struct {
        const char *J;
        int warned;
    } cases[] = {{"1 1 2.01", 1},
                 {"1 1 2", 0},
                 {"1e-12 1 1", 0},
                 {"1", 0},
                 {"1.5 1.5 1.1 0.5 0 0", 0},
                 {"1.5 1.5 0.9 -0.5 0 0", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int count = 0;
        ss_context_options options = ss_default_context();
        options.log = count_warnings;
        options.log_user = &count;
        world w = world_create(&options);
        add_system(&w, "b", "body", "mass", "1", "inertia", cases[i].J);
        assert_ok(&w, ss_model_seal(w.model));
        assert_int_equal(count, cases[i].warned);
        world_destroy(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertia_of_no_body_is_warned_of),
        cmocka_unit_test(rotation_is_a_rotation),
        cmocka_unit_test(F_turns_the_axes),
        cmocka_unit_test(free_body_keeps_its_angular_momentum),
        cmocka_unit_test(mass_matches_the_energy),
        cmocka_unit_test(gyroscopic_derivatives),
        cmocka_unit_test(springs_and_dampers_between_bodies),
        cmocka_unit_test(elements_of_bodies_agree_with_differences),
        cmocka_unit_test(expressions_of_bodies_agree_with_differences),
        cmocka_unit_test(ball_rolls_on_a_plane),
        cmocka_unit_test(solids_add_up),
        cmocka_unit_test(given_mass_counts),
        cmocka_unit_test(initial_rotations),
        cmocka_unit_test(bad_bodies_are_refused),
        cmocka_unit_test(bodies_without_mass_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
