/* test_laws.c: levels, sets, scaling with the step, added and impressed impulses of the
 * built-in laws. */
#include "types/place.h"

/* A ball above a floor in space and a disc above a line. */
static world law_world(void)
{
    world w = world_create(NULL);
    add_system(&w, "ball", "point", "dim", "3", "mass", "1");
    add_system(&w, "disc", "planar_body", "mass", "1", "inertia", "1");
    add_element(&w, "floor", "plane", "system", "ball", "normal", "0 0 1");
    add_element(&w, "line", "plane", "system", "disc", "normal", "0 1");
    return w;
}

static const ss_law *law_named(const world *w, const char *name)
{
    for (int l = 0; l < w->model->n_laws.count; l++)
        if (strcmp(w->model->laws[l].object.name, name) == 0)
            return &w->model->laws[l];
    fail_msg("there is no law '%s'", name);
    return NULL;
}

static ss_level level_beside(const ss_law *law, double g, double size)
{
    ss_law_at at = {.dt = 1e-3, .dim = 1, .g = &g, .gamma = NULL, .size = size};
    ss_level level = SS_LEVEL_ACTIVE;
    if (law->ops->level)
        assert_int_equal(law->ops->level(law->object.self, &at, &level), SS_OK);
    return level;
}

static ss_level level_at(const ss_law *law, double g)
{
    return level_beside(law, g, 1);
}

static ss_law_set set_at(const ss_law *law, double g, double dt)
{
    const double gamma[2] = {0};
    ss_law_at at = {.dt = dt, .dim = law->dim, .g = &g, .gamma = gamma};
    ss_law_set set;
    assert_int_equal(law->ops->set(law->object.self, &at, &set), SS_OK);
    assert_int_equal(set.set->dim, law->dim);
    return set;
}

/* The largest force that the set allows along a direction, in the unit of its scale. */
static double reach(ss_law_set set, double a, double b)
{
    const double v[2] = {a, b};
    return ss_set_support(set.set, set.scale, v);
}

static void unilateral_is_closed_without_gap(void **state)
{
    (void)state;
    world w = law_world();
    add_law(&w, "floor", "gap", "unilateral");
    const ss_law *law = law_named(&w, "floor.gap");
    assert_int_equal(level_at(law, -1e-3), SS_LEVEL_ACTIVE);
    assert_int_equal(level_at(law, 0), SS_LEVEL_ACTIVE);
    assert_int_equal(level_at(law, 1e-15), SS_LEVEL_ACTIVE); /* rounding does not open it */
    assert_int_equal(level_at(law, 1e-9), SS_LEVEL_INACTIVE);
    assert_int_equal(level_beside(law, 1e-9, 1e6), SS_LEVEL_ACTIVE); /* beside a size of 1000 km */
    assert_int_equal(level_beside(law, 1e-15, 1e-9), SS_LEVEL_INACTIVE);
    ss_law_set set = set_at(law, 0, 1e-3);
    assert_true(reach(set, 1, 0) == INFINITY);
    assert_true(reach(set, -1, 0) == 0);
    assert_string_equal(law->ops->words[0], "closed");
    world_destroy(&w);
}

static void bilateral_takes_any_force(void **state)
{
    (void)state;
    world w = law_world();
    add_law(&w, "floor", "gap", "bilateral");
    add_law(&w, "line", "gap", "bilateral", "stabilize", "true");
    add_law(&w, "line", "slip", "bilateral");
    const ss_law *law = law_named(&w, "floor.gap");
    assert_int_equal(level_at(law, 1), SS_LEVEL_ACTIVE);
    ss_law_set set = set_at(law, 0, 1e-3);
    assert_true(reach(set, 1, 0) == INFINITY && reach(set, -1, 0) == INFINITY);
    double g = 0.02, c = 7;
    ss_law_at at = {.dt = 1e-3, .dim = 1, .g = &g};
    assert_int_equal(law->ops->correction(law->object.self, &at, &c), SS_OK);
    assert_true(c == 0);
    law = law_named(&w, "line.gap");
    assert_int_equal(law->ops->correction(law->object.self, &at, &c), SS_OK);
    assert_near(c, 20, 1e-14);
    world_destroy(&w);
}

static void friction_has_a_constant_bound(void **state)
{
    (void)state;
    world w = law_world();
    add_law(&w, "line", "slip", "friction", "bound", "3");
    add_law(&w, "floor", "slip", "friction", "bound", "4");
    const ss_law *planar = law_named(&w, "line.slip"), *spatial = law_named(&w, "floor.slip");
    assert_int_equal(planar->dim, 1);
    assert_int_equal(spatial->dim, 2);
    assert_near(reach(set_at(planar, 0, 1e-3), -1, 0), 3e-3, 1e-18);
    assert_near(reach(set_at(planar, 0, 2e-3), 1, 0), 6e-3, 1e-18);
    for (int k = 0; k < 8; k++)
        assert_near(reach(set_at(spatial, 0, 1e-2), cos(k), sin(k)), 4e-2, 1e-16);
    assert_ok(&w, ss_model_seal(w.model)); /* no normal law is needed */
    world_destroy(&w);
}

static void coulomb_friction_scales_with_the_normal_law(void **state)
{
    (void)state;
    world w = law_world();
    add_law(&w, "line", "gap", "unilateral");
    add_law(&w, "floor", "gap", "unilateral");
    add_law(&w, "line", "slip", "friction", "mu", "0.3");
    add_law(&w, "floor", "slip", "friction", "mu", "0.4", "normal", "line.gap");
    assert_ok(&w, ss_model_seal(w.model));
    const ss_law *planar = law_named(&w, "line.slip"), *spatial = law_named(&w, "floor.slip");
    assert_near(reach(set_at(planar, 0, 1e-3), 1, 0), 0.3, 1e-16); /* does not depend on dt */
    assert_near(reach(set_at(spatial, 0, 1e-3), 0.6, 0.8), 0.4, 1e-16);
    assert_ptr_equal(&w.model->laws[planar->scale_from], law_named(&w, "line.gap"));
    assert_ptr_equal(&w.model->laws[spatial->scale_from], law_named(&w, "line.gap"));
    world_destroy(&w);
}

/* The support function of an ellipse of semi-axes a, b along v is √((a v1)² + (b v2)²). */
static void friction_can_depend_on_the_direction(void **state)
{
    (void)state;
    world w = law_world();
    add_law(&w, "floor", "gap", "unilateral");
    add_law(&w, "floor", "slip", "friction", "mu", "0.3 0.5");
    const ss_law *law = law_named(&w, "floor.slip");
    for (int k = 0; k < 8; k++)
        assert_near(reach(set_at(law, 0, 1e-3), cos(k), sin(k)), hypot(0.3 * cos(k), 0.5 * sin(k)),
                    1e-15);
    world_destroy(&w);

    w = law_world();
    add_law(&w, "floor", "slip", "friction", "bound", "3 5");
    law = law_named(&w, "floor.slip");
    for (int k = 0; k < 8; k++)
        assert_near(reach(set_at(law, 0, 1e-3), cos(k), sin(k)),
                    hypot(3e-3 * cos(k), 5e-3 * sin(k)), 1e-17);
    world_destroy(&w);
}

/* Set-valued and added part together resist with a / (1 + δ|γ|) against the motion. */
static void stribeck_resists_less_when_faster(void **state)
{
    (void)state;
    world w = law_world();
    add_law(&w, "line", "slip", "stribeck", "bound", "3", "delta", "2");
    add_law(&w, "floor", "slip", "stribeck", "bound", "3", "delta", "2");
    double dt = 1e-3;
    for (int dim = 1; dim <= 2; dim++) {
        const ss_law *law = law_named(&w, dim == 1 ? "line.slip" : "floor.slip");
        for (double speed = 0; speed < 4; speed += 0.5) {
            double direction[2] = {dim == 1 ? -1 : 0.6, dim == 1 ? 0 : -0.8}, gamma[2],
                   P[2] = {9, 9};
            for (int i = 0; i < 2; i++)
                gamma[i] = speed * direction[i];
            ss_law_at at = {.dt = dt, .dim = dim, .gamma = gamma};
            ss_law_set set;
            assert_int_equal(law->ops->set(law->object.self, &at, &set), SS_OK);
            assert_int_equal(law->ops->added(law->object.self, &at, P), SS_OK);
            double bound = reach(set, direction[0], direction[1]);
            assert_near(bound, 3 * dt, 1e-17);
            for (int i = 0; i < dim; i++) /* sliding: the set's part is -bound · direction */
                assert_near(P[i] - bound * direction[i], -3 * dt / (1 + 2 * speed) * direction[i],
                            1e-17);
        }
    }
    world_destroy(&w);
}

static void prestressed_spring_yields_beyond_its_preload(void **state)
{
    (void)state;
    world w = law_world();
    add_law(&w, "floor", "gap", "prestressed_spring", "preload", "2", "stiffness", "40",
            "tolerance", "5e-4");
    const ss_law *law = law_named(&w, "floor.gap");
    assert_int_equal(level_at(law, 4.9e-4), SS_LEVEL_ACTIVE);
    assert_int_equal(level_at(law, -4.9e-4), SS_LEVEL_ACTIVE);
    assert_int_equal(level_at(law, 5.1e-4), SS_LEVEL_IMPRESSED);
    assert_int_equal(level_at(law, -5.1e-4), SS_LEVEL_IMPRESSED);
    ss_law_set set = set_at(law, 0, 1e-3);
    assert_near(reach(set, 1, 0), 2e-3, 1e-18);
    assert_near(reach(set, -1, 0), 2e-3, 1e-18);
    double near = -4e-4, rest = 4e-7, c, extra;
    ss_law_at near_at = {.dt = 1e-3, .dim = 1, .g = &near},
              rest_at = {.dt = 1e-3, .dim = 1, .g = &rest};
    assert_int_equal(law->ops->correction(law->object.self, &near_at, &c), SS_OK);
    assert_near(c, -0.4, 1e-16); /* position level */
    assert_int_equal(law->ops->added(law->object.self, &near_at, &extra), SS_OK);
    assert_near(extra, 40 * 4e-4 * 1e-3, 1e-19);
    assert_int_equal(law->ops->correction(law->object.self, &rest_at, &c), SS_OK);
    assert_true(c == 0); /* velocity level */
    const double gaps[] = {0.1, -0.3};
    for (int i = 0; i < 2; i++) {
        double P, Vp, Vm, g = gaps[i];
        ss_law_at at = {.dt = 1e-3, .dim = 1, .g = &g};
        assert_int_equal(law->ops->impressed(law->object.self, &at, &P), SS_OK);
        assert_near(P, -(i ? -2 + 40 * -0.3 : 2 + 40 * 0.1) * 1e-3, 1e-17);
        g += STEP;
        assert_int_equal(law->ops->potential(law->object.self, 1, &g, &Vp), SS_OK);
        g -= 2 * STEP;
        assert_int_equal(law->ops->potential(law->object.self, 1, &g, &Vm), SS_OK);
        assert_near(P / 1e-3, -(Vp - Vm) / (2 * STEP), 1e-10);
    }
    world_destroy(&w);
}

static void stop_pushes_inwards(void **state)
{
    (void)state;
    world w = law_world();
    add_law(&w, "floor", "gap", "stop", "lower", "-1", "upper", "2");
    add_law(&w, "line", "gap", "stop", "upper", "0.5");
    const ss_law *law = law_named(&w, "floor.gap"), *one = law_named(&w, "line.gap");
    assert_int_equal(level_at(law, 0), SS_LEVEL_INACTIVE);
    assert_int_equal(level_at(law, -1), SS_LEVEL_ACTIVE);
    assert_int_equal(level_at(law, -1.1), SS_LEVEL_ACTIVE);
    assert_int_equal(level_at(law, 2), SS_LEVEL_ACTIVE);
    assert_int_equal(level_at(law, 2.1), SS_LEVEL_ACTIVE);
    assert_int_equal(level_at(one, -1e9), SS_LEVEL_INACTIVE);
    ss_law_set lower = set_at(law, -1, 1e-3), upper = set_at(law, 2, 1e-3);
    assert_true(reach(lower, 1, 0) == INFINITY && reach(lower, -1, 0) == 0);
    assert_true(reach(upper, -1, 0) == INFINITY && reach(upper, 1, 0) == 0);
    /* Wherever it is between them, its distance is on the open side of the stop that pushes, midway as well. */
    const double between[] = {-0.9, 0.5, 1.9};
    for (int i = 0; i < 3; i++) {
        double d;
        ss_law_at at = {.dt = 1e-3, .dim = 1, .g = &between[i]};
        assert_int_equal(law->ops->distance(law->object.self, &at, &d), SS_OK);
        assert_true(reach(set_at(law, between[i], 1e-3), d > 0 ? 1 : -1, 0) == INFINITY);
    }
    world_destroy(&w);
}

static void bad_laws_are_refused(void **state)
{
    (void)state;
    world w = law_world();
    assert_refused(&w, try_law(&w, "floor", "slip", "friction"),
                   "law 'floor.slip': give either 'mu' (Coulomb) or 'bound' (a constant, in N)");
    assert_refused(&w, try_law(&w, "floor", "slip", "friction", "mu", "1", "bound", "1"),
                   "law 'floor.slip': give either 'mu' (Coulomb) or 'bound' (a constant, in N)");
    assert_refused(&w, try_law(&w, "floor", "slip", "friction", "mu", "1 2 3"),
                   "law 'floor.slip': 'mu' must be one number, or two numbers, not 3");
    assert_refused(&w, try_law(&w, "line", "slip", "friction", "mu", "1 2"),
                   "law 'line.slip': 'mu' is [1, 2]: the first end of one row must be <= 0, the "
                   "second >= 0");
    assert_refused(
        &w, try_law(&w, "line", "slip", "friction", "mu", "1 2 3"),
        "law 'line.slip': 'mu' must be one number, or the two ends of an interval, not 3");
    assert_refused(&w, try_law(&w, "floor", "slip", "friction", "mu", "1 0"),
                   "law 'floor.slip': all numbers of 'mu' must be > 0");
    assert_refused(&w, try_law(&w, "floor", "slip", "friction", "mu", "-0.1"),
                   "law 'floor.slip': 'mu' must be a number >= 0, not -0.1");
    assert_refused(&w, try_law(&w, "floor", "slip", "friction", "bound", "1", "normal", "gap"),
                   "law 'floor.slip': 'normal' goes with 'mu', not with 'bound'");
    assert_refused(&w, try_law(&w, "line", "slip", "bilateral", "stabilize", "true"),
                   "law 'line.slip': 'stabilize' is for rows that have a gap; these are kinematic");
    assert_refused(
        &w, try_law(&w, "line", "gap", "bilateral", "stabilize", "true", "restitution", "0.1"),
        "law 'line.gap': 'stabilize' wants a restitution of 0");
    assert_refused(
        &w,
        try_law(&w, "line", "gap", "prestressed_spring", "preload", "1", "stiffness", "1",
                "tolerance", "1", "restitution", "0.5"),
        "law 'line.gap': its restitution must be 0: it comes to its length, it does not hit "
        "it");
    assert_refused(&w, try_law(&w, "line", "gap", "stop"),
                   "law 'line.gap': give 'lower', 'upper' or both");
    assert_refused(&w, try_law(&w, "line", "gap", "stop", "lower", "2", "upper", "1"),
                   "law 'line.gap': 'lower' (2) must be below 'upper' (1)");
    assert_refused(&w, try_law(&w, "line", "gap", "friction", "mu", "1"),
                   "element 'line': the law 'friction' is for kinematic rows, 'gap' has geometric "
                   "rows (groups that "
                   "fit: slip)");
    assert_refused(
        &w, try_law(&w, "line", "gap", "prestressed_spring", "preload", "1", "stiffness", "1"),
        "law 'line.gap': 'tolerance' is missing: Gap |g| up to which the spring may come to its "
        "reference length within a step.");
    assert_refused(&w, try_law(&w, "line", "slip", "motor", "speed", "1", "limit", "0"),
                   "law 'line.slip': 'limit' must be a number > 0, or inf, not 0");
    assert_refused(&w, try_law(&w, "line", "gap", "spring_damper", "restitution", "0.1"),
                   "law 'line.gap': its restitution must be 0: there are no impacts in it");
    world_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unilateral_is_closed_without_gap),
        cmocka_unit_test(bilateral_takes_any_force),
        cmocka_unit_test(friction_has_a_constant_bound),
        cmocka_unit_test(coulomb_friction_scales_with_the_normal_law),
        cmocka_unit_test(friction_can_depend_on_the_direction),
        cmocka_unit_test(stribeck_resists_less_when_faster),
        cmocka_unit_test(prestressed_spring_yields_beyond_its_preload),
        cmocka_unit_test(stop_pushes_inwards),
        cmocka_unit_test(bad_laws_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
