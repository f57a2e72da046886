/* test_joints.c: rows of joints between bodies against differences and closed forms. */
#include "model/body.h"
#include "support/random.h"
#include "types/place.h"

static const char *const kinds[] = {"spherical", "revolute",  "prismatic", "cylindrical",
                                    "planar",    "universal", "fixed"};

/* Keys that a kind needs, besides the bodies and the place. */
static ss_status add_joint(world *w, const char *kind, const char *to)
{
    const char *axis = "1 2 -2", *cross = "2 -2 -1";
    if (strcmp(kind, "fixed") == 0)
        return to ? try_element(w, "j", kind, "system", "a", "to", to, "at", "0.3 0.2 0.1")
                  : try_element(w, "j", kind, "system", "a", "at", "0.3 0.2 0.1");
    if (strcmp(kind, "universal") == 0)
        return to ? try_element(w, "j", kind, "system", "a", "to", to, "at", "0.3 0.2 0.1", "axis",
                                axis, "cross_axis", cross)
                  : try_element(w, "j", kind, "system", "a", "at", "0.3 0.2 0.1", "axis", axis,
                                "cross_axis", cross);
    return to ? try_element(w, "j", kind, "system", "a", "to", to, "at", "0.3 0.2 0.1", "axis",
                            axis)
              : try_element(w, "j", kind, "system", "a", "at", "0.3 0.2 0.1", "axis", axis);
}

static world two_bodies(int frame)
{
    static const char *const frames[] = {"inertial", "body"};
    world w = world_create(NULL);
    add_system(&w, "a", "body", "mass", "2", "inertia", "2 3 4", "frame", frames[frame], "position",
               "0.5 0.1 0.2", "rotation", "1 2 3 0.7");
    add_system(&w, "b", "body", "mass", "1", "inertia", "1", "frame", frames[1 - frame], "position",
               "-0.2 0.4 0.1", "rotation", "3 0 1 -1.2");
    return w;
}

static void at_random(place *p, random_state *r)
{
    for (int i = 0; i < p->n; i++)
        p->q[i] = random_between(r, -1, 1);
    for (int i = 0; i < p->nu; i++)
        p->u[i] = random_between(r, -2, 2);
    for (int b = 0; b < 2; b++) {
        double *e = p->q + 7 * b + 3,
               length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
        for (int i = 0; i < 4; i++)
            e[i] /= length;
    }
}

/* g' = γ for every geometric row of every kind, between bodies and to space, in both frames, at places that have
 * nothing to do with the joint's constraint. */
static void rows_agree_with_differences(void **state)
{
    (void)state;
    random_state r = {31};
    for (int k = 0; k < 7 * 4; k++) {
        world w = two_bodies(k % 2);
        assert_ok(&w, add_joint(&w, kinds[k / 4], k / 2 % 2 ? "b" : NULL));
        place p = place_create(&w);
        const ss_element *e = &p.work->model->elements[0];
        for (int round = 0; round < 20; round++) {
            double g[4][MOST], gamma[MOST];
            at_random(&p, &r);
            for (int i = 0; i < 4; i++)
                place_gap(&p, 0, (double[]){-2, -1, 1, 2}[i] * STEP / 4, g[i]);
            place_velocity(&p, 0, 0, gamma);
            for (int j = 0; j < e->n_groups; j++)
                for (int row = e->groups[j].row; row < e->groups[j].row + e->groups[j].rows;
                     row++) {
                    double d = (g[2][row] - g[1][row]);
                    if (e->groups[j].kind != SS_GEOMETRIC || fabs(d) > 1) /* atan2 jumps by 2π */
                        continue;
                    double slope = difference(STEP / 4, g[0][row], g[1][row], g[2][row], g[3][row]);
                    assert_near(gamma[row], slope, 1e-7 * (1 + fabs(slope)));
                }
        }
        place_destroy(&p);
        world_destroy(&w);
    }
}

/* In the initial configuration all that is held is zero, wherever the bodies are. */
static void joints_fit_at_first(void **state)
{
    (void)state;
    for (int k = 0; k < 14; k++) {
        world w = two_bodies(k % 2);
        assert_ok(&w, add_joint(&w, kinds[k / 2], "b"));
        place p = place_create(&w);
        double g[MOST];
        for (int s = 0; s < 2; s++)
            memcpy(p.q + 7 * s, w.model->systems[s].q0, 7 * sizeof *p.q);
        place_gap(&p, 0, 0, g);
        for (int row = 0; row < w.model->elements[0].rows; row++)
            assert_near(g[row], 0, 1e-15);
        place_destroy(&p);
        world_destroy(&w);
    }
}

/* Index of the first row of a group. */
static int row_of(const place *p, const char *group)
{
    const ss_element *e = &p->work->model->elements[0];
    for (int i = 0; i < e->n_groups; i++)
        if (strcmp(e->groups[i].name, group) == 0)
            return e->groups[i].row;
    fail_msg("no group %s", group);
    return -1;
}

/* A hinge about z turned by hand: signs and values of the free coordinates. */
static void signs_of_a_hinge(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "body", "mass", "1", "inertia", "1", "position", "1 0 0");
    add_element(&w, "j", "cylindrical", "system", "a", "at", "0 0 0", "axis", "0 0 3", "angle",
                "0.1", "slide", "0.2");
    place p = place_create(&w);
    double g[MOST], gamma[MOST], phi = 0.5, z = 0.3;
    const double q[7] = {cos(phi), sin(phi), z, cos(phi / 2), 0, 0, sin(phi / 2)};
    memcpy(p.q, q, sizeof q);
    p.u[2] = 4; /* along the axis */
    p.u[5] = 3; /* about it, with the centre going round */
    p.u[0] = -3 * sin(phi);
    p.u[1] = 3 * cos(phi);
    place_gap(&p, 0, 0, g);
    place_velocity(&p, 0, 0, gamma);
    assert_near(g[row_of(&p, "angle")], 0.6, 1e-15);
    assert_near(g[row_of(&p, "slide")], 0.5, 1e-15);
    assert_near(gamma[row_of(&p, "angle")], 3, 1e-14);
    assert_near(gamma[row_of(&p, "turn")], 3, 1e-14);
    assert_near(gamma[row_of(&p, "slide")], 4, 1e-14);
    assert_near(gamma[row_of(&p, "slip")], 4, 1e-14);
    for (int i = 0; i < 2; i++) {
        assert_near(g[row_of(&p, "gap") + i], 0, 1e-15);
        assert_near(g[row_of(&p, "tilt") + i], 0, 1e-15);
        assert_near(gamma[row_of(&p, "gap") + i], 0, 1e-14);
        assert_near(gamma[row_of(&p, "tilt") + i], 0, 1e-14);
    }
    place_destroy(&p);
    world_destroy(&w);
}

/* Kinematic rows of rotation are the relative angular velocity along axes that can be named. */
static void spins_are_angular_velocities(void **state)
{
    (void)state;
    random_state r = {37};
    world w = two_bodies(0); /* a in space, b in its own axes */
    assert_ok(&w, add_joint(&w, "universal", "b"));
    place p = place_create(&w);
    double A0[9], B0[9], own[3], cross[3];
    const double axis[3] = {1 / 3.0, 2 / 3.0, -2 / 3.0}, second[3] = {2 / 3.0, -2 / 3.0, -1 / 3.0};
    ss_body_rotation(w.model->systems[0].q0 + 3, A0);
    ss_body_rotation(w.model->systems[1].q0 + 3, B0);
    ss_turn_back(A0, axis, own);
    ss_turn_back(B0, second, cross);
    for (int round = 0; round < 10; round++) {
        double A[9], B[9], a[3], b[3], omega[3], gamma[MOST];
        at_random(&p, &r);
        ss_body_rotation(p.q + 3, A);
        ss_body_rotation(p.q + 10, B);
        ss_turn(A, own, a);
        ss_turn(B, cross, b);
        ss_turn(B, p.u + 9, omega);
        for (int i = 0; i < 3; i++)
            omega[i] = p.u[3 + i] - omega[i];
        place_velocity(&p, 0, 0, gamma);
        int turn = row_of(&p, "turn");
        assert_near(gamma[turn], a[0] * omega[0] + a[1] * omega[1] + a[2] * omega[2], 1e-14);
        assert_near(gamma[turn + 1], b[0] * omega[0] + b[1] * omega[1] + b[2] * omega[2], 1e-14);
    }
    place_destroy(&p);
    world_destroy(&w);
}

/* The body turned about the axis of the cross that it carries, then with it about the other: both angles come back. */
static void angles_of_a_cross(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "body", "mass", "1", "inertia", "1");
    add_element(&w, "j", "universal", "system", "a", "axis", "1 0 0", "cross_axis", "0 1 0");
    place p = place_create(&w);
    for (int i = -3; i <= 3; i++) {
        double phi = 0.9 * i, psi = 1 - 0.4 * i, g[MOST];
        double c = cos(phi / 2), s = sin(phi / 2), C = cos(psi / 2), S = sin(psi / 2);
        const double e[4] = {C * c, C * s, S * c, -S * s}; /* (C, S about y) ∘ (c, s about x) */
        memcpy(p.q + 3, e, sizeof e);
        place_gap(&p, 0, 0, g);
        assert_near(g[row_of(&p, "tilt")], 0, 1e-15);
        assert_near(g[row_of(&p, "angle")], phi, 1e-14);
        assert_near(g[row_of(&p, "drive")], phi, 1e-14);
        assert_near(g[row_of(&p, "cross_angle")], psi, 1e-14);
        assert_near(g[row_of(&p, "cross_drive")], psi, 1e-14);
    }
    place_destroy(&p);
    world_destroy(&w);
}

/* Wheels of ratio 3 on a carrier that turns: rates relative to it. */
static void gear_of_bodies(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "body", "mass", "1", "inertia", "1");
    add_system(&w, "b", "body", "mass", "1", "inertia", "1", "frame", "body");
    add_system(&w, "c", "body", "mass", "1", "inertia", "1");
    add_element(&w, "g", "gear", "system", "a", "to", "b", "carrier", "c", "ratio", "3", "axis",
                "0 0 2", "to_axis", "1 0 0");
    place p = place_create(&w);
    for (int i = 0; i < 3; i++)
        p.q[7 * i + 3] = 1;
    double gamma;
    p.u[5] = 2 + 0.5;      /* a about z */
    p.u[6 + 3] = 6 + 0.25; /* b about x */
    p.u[12 + 5] = 0.5;     /* c about z */
    p.u[12 + 3] = 0.25;    /* and x */
    place_velocity(&p, 0, 0, &gamma);
    assert_near(gamma, 0, 1e-15);
    p.u[6 + 3] += 1;
    place_velocity(&p, 0, 0, &gamma);
    assert_near(gamma, 1, 1e-15);
    place_destroy(&p);
    world_destroy(&w);
}

static void gear_of_planar_bodies(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "planar_body", "mass", "1", "inertia", "1", "position", "0 0 0.3");
    add_system(&w, "b", "planar_body", "mass", "1", "inertia", "1", "position", "0 0 -0.4");
    add_system(&w, "c", "planar_body", "mass", "1", "inertia", "1", "position", "0 0 0.1");
    add_element(&w, "g", "gear", "system", "a", "to", "b", "carrier", "c", "ratio", "-2");
    place p = place_create(&w);
    double g[2], gamma[2];
    p.q[2] = 0.3;
    p.q[5] = -0.4;
    p.q[8] = 0.1;
    place_gap(&p, 0, 0, g);
    assert_near(g[0], 0, 1e-15);
    p.q[2] += 10;
    p.q[5] -= 20;
    place_gap(&p, 0, 0, g);
    assert_near(g[0], 0, 1e-14);
    p.u[2] = 1 + 5;
    p.u[5] = -2 + 5;
    p.u[8] = 5;
    place_velocity(&p, 0, 0, gamma);
    assert_near(gamma[0], 0, 1e-15);
    assert_near(gamma[1], 0, 1e-15);
    place_destroy(&p);
    world_destroy(&w);
}

#define refused(text, ...)                                        \
    do {                                                          \
        world w_ = two_bodies(0);                                 \
        add_system(&w_, "p", "point", "dim", "3", "mass", "1");   \
        assert_refused(&w_, try_element(&w_, __VA_ARGS__), text); \
        world_destroy(&w_);                                       \
    } while (0)

static void bad_joints_are_refused(void **state)
{
    (void)state;
    refused(
        "element 'j': it connects systems of type body and links of trees; 'p' is of type 'point'",
        "j", "spherical", "system", "p");
    refused("element 'j': it joins system 'a' to itself", "j", "spherical", "system", "a", "to",
            "a");
    refused("element 'j': give 'at' (a place in space), or 'point' and 'to_point'", "j",
            "spherical", "system", "a", "at", "1 2 3", "point", "1 2 3");
    refused("element 'j': 'axis' must have a direction; its length is 0", "j", "revolute", "system",
            "a", "axis", "0 0 0");
    refused("element 'j': 'cross_axis' must be at right angles to 'axis'", "j", "universal",
            "system", "a", "axis", "0 0 1", "cross_axis", "0 1 1");
    refused("element 'j': 'at' must be a list of 3 numbers, not 2", "j", "fixed", "system", "a",
            "at", "1 2");
    refused("element 'j': 'system', 'to' and 'carrier' must be different systems", "j", "gear",
            "system", "a", "to", "a", "ratio", "1");
    refused("element 'j': 'axis' is missing: the axle of 'a'", "j", "gear", "system", "a", "to",
            "b", "ratio", "1");
    refused("element 'j': wheels are systems of type body or planar_body, all of the same", "j",
            "gear", "system", "p", "to", "b", "ratio", "1");
}

/* What is held has laws by default; a law of one's own takes their place. */
static void default_laws(void **state)
{
    (void)state;
    world w = two_bodies(0);
    assert_ok(&w, add_joint(&w, "revolute", "b"));
    add_law(&w, "j", "tilt", "unilateral");
    assert_ok(&w, ss_model_seal(w.model));
    int bilateral = 0, unilateral = 0;
    for (int l = 0; l < ss_model_sizes(w.model).n_laws; l++) {
        bilateral += strcmp(ss_model_law(w.model, l).type, "bilateral") == 0;
        unilateral += strcmp(ss_model_law(w.model, l).type, "unilateral") == 0;
    }
    assert_int_equal(bilateral, 3);
    assert_int_equal(unilateral, 2);
    world_destroy(&w);
}

static void count_gaps(void *user, ss_log_level level, const char *message)
{
    int *count = user;
    *count += level == SS_LOG_WARNING && strstr(message, "its points are 0.5 m apart") != NULL;
}

/* The body stands at x = 1, and the joint at x = 1.2 of space. What is free may be apart. */
static void points_that_are_apart_are_warned_of(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *axis, *to_point;
        int warned;
    } cases[] = {{"spherical", "1 0 0", "1.2 0 0", 0},     {"spherical", "1 0 0", "1.2 0.5 0", 1},
                 {"spherical", "1 0 0", "1.20001 0 0", 0}, {"revolute", "0 1 0", "1.2 0.5 0", 1},
                 {"prismatic", "0 1 0", "1.2 0.5 0", 0},   {"prismatic", "1 0 0", "1.2 0.5 0", 1},
                 {"cylindrical", "0 2 0", "1.2 0.5 0", 0}, {"planar", "0 1 0", "1.2 0.5 0", 1},
                 {"planar", "0 0 1", "1.2 0.5 0", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int count = 0;
        ss_context_options options = ss_default_context();
        options.log = count_gaps;
        options.log_user = &count;
        world w = world_create(&options);
        add_system(&w, "a", "body", "mass", "1", "inertia", "1", "position", "1 0 0", "rotation",
                   "0 0 1 1.5707963267948966");
        add_element(&w, "j", cases[i].kind, "system", "a", "axis", cases[i].axis, "point",
                    "0 -0.2 0", "to_point", cases[i].to_point);
        assert_int_equal(count, cases[i].warned);
        world_destroy(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_agree_with_differences),
        cmocka_unit_test(joints_fit_at_first),
        cmocka_unit_test(signs_of_a_hinge),
        cmocka_unit_test(spins_are_angular_velocities),
        cmocka_unit_test(angles_of_a_cross),
        cmocka_unit_test(gear_of_bodies),
        cmocka_unit_test(gear_of_planar_bodies),
        cmocka_unit_test(bad_joints_are_refused),
        cmocka_unit_test(default_laws),
        cmocka_unit_test(points_that_are_apart_are_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
