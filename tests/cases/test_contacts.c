/* test_contacts.c: shapes in simulations that follow every contact through time: accumulation of impacts, what is reported, going
 * on from a saved state, and the first impact of meshes and boxes on meshes. */

#include "run.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(value, expected, tolerance)                                  \
    do {                                                                  \
        double value_ = (value), expected_ = (expected);                  \
        if (!(fabs(value_ - expected_) <= (tolerance)))                   \
            fail_msg("%s = %.17g, not %.17g", #value, value_, expected_); \
    } while (0)

/* A ball let fall from h bounces until √(2h/g) (1 + ε)/(1 - ε), infinitely often, and lies. */
static const char *const falls[] = {"v0=0", "systems.ball.position=[0, 0, 0.1]",
                                    "elements.contact.laws.gap.restitution=0.5",
                                    "simulation.end=0.6", NULL};
static const char *const types[][5] = {
    {"simulation.type=event_driven", "simulation.output=0.1"},
    {"simulation.type=augmented", "simulation.step_max=0.01", "simulation.step_min=1e-10",
     "solver.tolerance=1e-14"},
    {"simulation.type=hybrid", "simulation.output=0.1"},
};

static void open_as(run *r, int type, const char *scene, const char *const *model)
{
    const char *all[MOST_OVERRIDES] = {NULL};
    int n = 0;
    for (int i = 0; model[i]; i++)
        all[n++] = model[i];
    for (int i = 0; i < 5 && types[type][i]; i++)
        all[n++] = types[type][i];
    open_run(r, scene, all);
}

static void impacts_of_a_ball_accumulate(void **state)
{
    (void)state;
    static run r;
    for (int type = 0; type < 3; type++) {
        double first = sqrt(2 * (0.1 - 0.03) / 9.81), rest = first * (1 + 0.5) / (1 - 0.5);
        open_as(&r, type, "billiard", falls);
        finish_run(&r);
        NEAR(event_time(&r, "contact.gap", "closed", 0), first, 2e-10);
        assert_int_equal(mode(&r, "contact.gap"), 0);
        NEAR(position(&r, "ball.z"), 0.03, 1e-8);
        NEAR(velocity(&r, "ball.z'"), 0, 1e-12);
        assert_true(r.n_events > 10 && r.n_events < 200);
        NEAR(r.events[r.n_events - 1].t, rest, type == 2 ? 1e-3 : 1e-6);
        close_run(&r);
    }
}

/* A ball that slides has one contact, with its weight and μ times as much. */
static void contacts_are_reported(void **state)
{
    (void)state;
    static run r;
    for (int type = 0; type < 2; type++) {
        open_as(&r, type, "billiard", (const char *const[]){"simulation.end=0.1", NULL});
        finish_run(&r);
        double weight = 1800 * 4.0 / 3 * acos(-1.0) * 0.03 * 0.03 * 0.03 * 9.81,
               dt = ss_state_dt(r.state);
        const ss_contact *contact = ss_state_contacts(r.state);
        assert_int_equal(ss_state_contact_count(r.state), 1);
        assert_int_equal(contact->closed, 1);
        assert_int_equal(contact->slips, 1);
        NEAR(fabs(contact->n[2]), 1, 1e-15);
        NEAR(contact->n[2] * contact->P[2] / dt, weight, 1e-9 * weight);
        NEAR(contact->n[2] * contact->P[0] / dt, -0.25 * weight, 1e-9 * weight);
        NEAR(contact->gap, 0, 1e-15);
        close_run(&r);
    }
}

/* A copy of the state that was taken on the way leads another simulation of the scene to the same bits. */
static void check_goes_on(int type, const char *scene, const char *const *model, int steps)
{
    static run whole, rest;
    ss_step step;
    open_as(&whole, type, scene, model);
    open_as(&rest, type, scene, model);
    ss_simulation *first = ss_scene_simulation(whole.scene),
                  *second = ss_scene_simulation(rest.scene);
    for (int i = 0; i < steps && !ss_simulation_done(first); i++)
        assert_int_equal(ss_simulation_advance(first, &step), SS_OK);
    assert_false(ss_simulation_done(first));
    const ss_state *now = ss_simulation_state(first);
    assert_int_equal(ss_state_restore(ss_scene_model(rest.scene), ss_state_bytes(now), now,
                                      ss_simulation_state(second)),
                     SS_OK);
    finish_run(&whole);
    finish_run(&rest);
    assert_int_equal(ss_state_bytes(whole.state), ss_state_bytes(rest.state));
    assert_memory_equal(whole.state, rest.state, ss_state_bytes(whole.state));
    close_run(&whole);
    close_run(&rest);
}

static void saved_states_go_on(void **state)
{
    (void)state;
    for (int type = 0; type < 3; type++) {
        check_goes_on(type, "billiard", falls, 6);
        check_goes_on(type, "billiard",
                      (const char *const[]){"simulation.end=0.4", "slope=0.3", NULL}, 3);
    }
}

/* ---- A box of half edges a, b, c, of triangles or not, falls on a floor of triangles without friction ---- */

static const double a = 0.018, b = 0.014, c = 0.011, g = 9.81;

static void cross(const double p[3], const double q[3], double r[3])
{
    for (int i = 0; i < 3; i++)
        r[i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
}

/* v turned about the unit vector n by an angle (Rodrigues). */
static void turn(const double n[3], double angle, const double v[3], double w[3])
{
    double nv = n[0] * v[0] + n[1] * v[1] + n[2] * v[2], side[3];
    cross(n, v, side);
    for (int i = 0; i < 3; i++)
        w[i] = cos(angle) * v[i] + sin(angle) * side[i] + (1 - cos(angle)) * nv * n[i];
}

typedef struct box {
    double z, v[3], spin;  /* at the start; it turns about its own x axis */
    double axis[3], angle; /* the rotation it starts with */
} box;

/* Axes of the box at a time of its free flight. The spin about a principal axis stays, and so does that axis. */
static void axes_at(const box *at, double t, double e[3][3])
{
    double length = sqrt(at->axis[0] * at->axis[0] + at->axis[1] * at->axis[1] +
                         at->axis[2] * at->axis[2]),
           n[3];
    for (int i = 0; i < 3; i++)
        n[i] = at->axis[i] / length;
    for (int k = 0; k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2}, turned[3];
        turn((const double[]){1, 0, 0}, at->spin * t, unit, turned);
        turn(n, at->angle, turned, e[k]);
    }
}

/* The lowest corner from the centre; its height above z = 0 is returned. */
static double lowest(const box *at, double t, double r[3])
{
    const double half[3] = {a, b, c};
    double e[3][3];
    axes_at(at, t, e);
    for (int i = 0; i < 3; i++)
        r[i] = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            r[i] -= copysign(half[k], e[k][2]) * e[k][i];
    return at->z + at->v[2] * t - g * t * t / 2 + r[2];
}

static double first_impact(const box *at)
{
    double low = 0, high = 1, r[3];
    while (high - low > 1e-15) {
        double middle = (low + high) / 2;
        *(lowest(at, middle, r) > 0 ? &low : &high) = middle;
    }
    return high;
}

static const double later = 1e-9; /* s, after an impact */

/* Velocities after a impulse along z at r from the centre, by Newton's law: P = -(1 + ε) γ/G, and a little later, by
 * J ω' = J ω × ω; ω in the axes of the box. */
static void hit(const box *at, double t, const double r[3], double epsilon, double v[3],
                double w[3])
{
    const double n[3] = {0, 0, 1};
    double J[3] = {(b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3};
    double e[3][3], L[3], torque[3], rn[3], arm[3], G = 1, gamma = at->v[2] - g * t;
    axes_at(at, t, e);
    cross(r, n, rn);
    for (int k = 0; k < 3; k++) { /* of mass 1 */
        arm[k] = e[k][0] * rn[0] + e[k][1] * rn[1] + e[k][2] * rn[2];
        G += arm[k] * arm[k] / J[k];
        w[k] = k == 0 ? at->spin : 0;
        gamma += arm[k] * w[k];
    }
    double P = -(1 + epsilon) * gamma / G;
    for (int k = 0; k < 3; k++) {
        v[k] = at->v[k] + (k == 2 ? P - g * (t + later) : 0);
        w[k] += P * arm[k] / J[k];
        L[k] = J[k] * w[k];
    }
    cross(L, w, torque);
    for (int k = 0; k < 3; k++)
        w[k] += torque[k] / J[k] * later;
}

static const char *const exact[2][6] = {
    {"simulation.relative=1e-12", "simulation.absolute=1e-13"},
    {"simulation.absolute_q=1e-12", "simulation.absolute_u=1e-11", "simulation.relative_q=1e-12",
     "simulation.relative_u=1e-11"},
};

/* Runs until just after an impact at t, which augmented steps of 1e-10 s at least tell no better; ω' is 1e3 rad/s² then. */
static void check_first_impact(const char *const *model, double t, const double v[3],
                               const double w[3])
{
    static const char *const moves[] = {"box.x'", "box.y'", "box.z'"}, *const turns[] = {"box.wx",
                                                                                         "box.wy",
                                                                                         "box.wz"};
    static run r;
    char end[64];
    snprintf(end, sizeof end, "simulation.end=%.17g", t + later);
    for (int type = 0; type < 2; type++) {
        const char *all[MOST_OVERRIDES] = {end, "mu=0", "solver.tolerance=1e-14"};
        double late = type == 1 ? 5e-10 : 1e-14;
        int n = 3;
        for (int i = 0; model[i]; i++)
            all[n++] = model[i];
        for (int i = 0; exact[type][i]; i++)
            all[n++] = exact[type][i];
        open_as(&r, type, "tumbling_box", all);
        finish_run(&r);
        NEAR(event_time(&r, "contact.gap", "closed", 0), t, late);
        for (int k = 0; k < 3; k++) {
            NEAR(velocity(&r, moves[k]), v[k], 1e-12 + 20 * late);
            NEAR(velocity(&r, turns[k]), w[k], 1e-11 + 1e3 * late);
        }
        close_run(&r);
    }
}

#define RIDGE                                                                                 \
    "systems.box.velocity=[0, 0, 0, 0, 0, 0]", "systems.box.rotation=[1, 0, 0, 0.7]",         \
        "shapes.floor.points=[[-1, -1, -0.5], [0, -1, 0], [0, 1, 0], [-1, 1, -0.5], [1, -1, " \
        "-0.5], "                                                                             \
        "[1, 1, -0.5]]",                                                                      \
        "shapes.floor.triangles=[[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]]", NULL
static const char *const ridge[] = {RIDGE};
static const char *const solid_on_ridge[] = {"solid=1", RIDGE};

static void corner_hits_a_face(void **state)
{
    (void)state;
    const box at = {0.1, {0.2, 0, 0}, 7, {1, 2, 0.5}, 0.7};
    double r[3], v[3], w[3], t = first_impact(&at);
    lowest(&at, t, r);
    hit(&at, t, r, 0.5, v, w);
    check_first_impact((const char *const[]){NULL}, t, v, w);
    check_first_impact((const char *const[]){"solid=1", NULL}, t, v, w);
}

/* The lower edge of the box, along x, falls across a ridge along y, 0.01 m beside its centre. */
static void edge_hits_an_edge(void **state)
{
    (void)state;
    const box at = {0.1, {0, 0, 0}, 0, {1, 0, 0}, 0.7};
    double r[3], v[3], w[3];
    double height = lowest(&at, 0, r), t = sqrt(2 * height / g);
    r[0] = -0.01;
    hit(&at, t, r, 0.5, v, w);
    check_first_impact(ridge, t, v, w);
    check_first_impact(solid_on_ridge, t, v, w);
}

/* An augmented run of the scene is refused with such words. */
static void check_refused(const char *scene_name, const char *words, const char *const *more)
{
    ss_context_options options = ss_default_context();
    const char *settings[MOST_OVERRIDES] = {"simulation.type=augmented", "simulation.step_max=0.01",
                                            "simulation.step_min=1e-8"};
    ss_scene_options with = {.settings = settings, .n_settings = 3};
    for (int i = 0; more[i]; i++)
        settings[with.n_settings++] = more[i];
    ss_context *context;
    ss_scene *scene = NULL;
    char path[512];
    snprintf(path, sizeof path, SS_SOURCE_DIR "/scenes/%s.yaml", scene_name);
    assert_int_equal(ss_context_create(&options, &context), SS_OK);
    assert_int_equal(ss_scene_load(context, path, &with, &scene), SS_UNSUPPORTED);
    assert_non_null(strstr(ss_context_message(context), words));
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void cylinders_on_meshes_and_crowds_are_refused(void **state)
{
    (void)state;
    const char *const cylinder[] = {"shapes.ball.type=cylinder", "shapes.ball.length=0.02", NULL};
    check_refused("funnel_boxes", "on a mesh those of spheres, boxes, hulls and meshes can",
                  cylinder);
    check_refused("funnel", "needs more than 20000 laws", cylinder + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_of_a_ball_accumulate),
        cmocka_unit_test(contacts_are_reported),
        cmocka_unit_test(saved_states_go_on),
        cmocka_unit_test(corner_hits_a_face),
        cmocka_unit_test(edge_hits_an_edge),
        cmocka_unit_test(cylinders_on_meshes_and_crowds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
