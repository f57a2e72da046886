/* test_law_class.c: laws say what they are, and what cannot be is refused when they are registered. */
#include "model/model.h"
#include "support/world.h"
#include "types/types.h"

static void refused(world *w, ss_law_ops ops, const char *why)
{
    const ss_type *found;
    char message[512];
    ops.type.name = "odd";
    snprintf(message, sizeof message, "law type 'odd': %s", why);
    assert_refused(w, ss_register_law(w->context, &ops), message);
    /* a law that was refused is not there */
    assert_int_equal(ss_type_find(w->context, SS_TYPE_LAW, "odd", (ss_location){0}, &found),
                     SS_UNKNOWN_NAME);
}

static void classes_are_checked(void **state)
{
    (void)state;
    world w = world_create(NULL);
    ss_law_ops odd = ss_unilateral_ops;
    odd.law_class = 0;
    refused(&w, odd,
            "it has no class; give one of SS_LAW_UNILATERAL, SS_LAW_BILATERAL, SS_LAW_FRICTION, "
            "SS_LAW_SPRING, SS_LAW_DRIVE");
    odd = ss_unilateral_ops;
    odd.row_kinds = SS_GEOMETRIC | SS_KINEMATIC;
    refused(&w, odd, "a unilateral law opens, and is for geometric rows");
    odd = ss_unilateral_ops;
    odd.law_class = SS_LAW_BILATERAL;
    refused(&w, odd, "a bilateral law is always active, so it has no 'level'");
    odd = ss_friction_ops;
    odd.row_kinds = SS_GEOMETRIC;
    refused(&w, odd, "frictions and drives are for kinematic rows");
    odd = ss_prestressed_spring_ops;
    odd.law_class = SS_LAW_UNILATERAL;
    refused(
        &w, odd,
        "springs, and no other laws, have 'impressed'; 'level' says when, or SS_LAW_NEVER_ACTIVE");
    odd = ss_prestressed_spring_ops;
    odd.flags |= SS_LAW_NEVER_ACTIVE;
    refused(
        &w, odd,
        "springs, and no other laws, have 'impressed'; 'level' says when, or SS_LAW_NEVER_ACTIVE");
    odd = ss_stop_ops;
    odd.set_kind = NULL;
    refused(&w, odd, "laws whose set is not constant, and no others, have 'set_kind'");
    odd = ss_motor_ops;
    odd.law_class = SS_LAW_FRICTION;
    refused(&w, odd, "drives, and no other laws, have the function 'drive'");
    odd = ss_friction_ops;
    odd.law_class = SS_LAW_DRIVE;
    refused(&w, odd, "drives, and no other laws, have the function 'drive'");
    odd = ss_friction_ops;
    odd.row_kinds = 0;
    refused(&w, odd, "'row_kinds' is SS_GEOMETRIC, SS_KINEMATIC or both");
    world_destroy(&w);
}

static void flags_go_with_functions(void **state)
{
    (void)state;
    world w = world_create(NULL);
    ss_law_ops odd = ss_bilateral_ops;
    odd.correction = NULL;
    refused(&w, odd, "the flag 'SS_LAW_CORRECTED' without the function 'correction'");
    odd = ss_bilateral_ops;
    odd.flags &= ~(unsigned)SS_LAW_DISTANCE;
    refused(&w, odd, "the function 'distance' without the flag 'SS_LAW_DISTANCE'");
    odd = ss_stribeck_ops;
    odd.flags &= ~(unsigned)SS_LAW_ADDED;
    refused(&w, odd, "the function 'added' without the flag 'SS_LAW_ADDED'");
    odd = ss_spring_damper_ops;
    odd.potential = NULL;
    refused(&w, odd, "the flag 'SS_LAW_STORES_ENERGY' without the function 'potential'");
    odd = ss_friction_ops;
    odd.flags = 0;
    refused(&w, odd,
            "either its set is constant (SS_LAW_CONSTANT_SET), or flags say what it depends on "
            "(SS_LAW_SET_OF_…)");
    odd.flags = SS_LAW_CONSTANT_SET | SS_LAW_SET_OF_SPEED;
    refused(&w, odd,
            "either its set is constant (SS_LAW_CONSTANT_SET), or flags say what it depends on "
            "(SS_LAW_SET_OF_…)");
    world_destroy(&w);
}

static unsigned flags_of(world *w, const char *name)
{
    for (int l = 0; l < w->model->n_laws.count; l++)
        if (strcmp(w->model->laws[l].object.name, name) == 0)
            return w->model->laws[l].flags;
    fail_msg("there is no law '%s'", name);
    return 0;
}

/* Parameters make flags void: what does not stabilize corrects nothing, and a stop at zero closes there. */
static void parameters_drop_flags(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "box", "planar_body", "mass", "1", "inertia", "1");
    add_element(&w, "pin", "joint", "system", "box", "to_point", "0 0");
    add_element(&w, "peg", "joint", "system", "box", "to_point", "0 0");
    add_law(&w, "pin", "gap", "bilateral");
    add_law(&w, "peg", "gap", "bilateral", "stabilize", "true");
    add_law(&w, "pin", "angle", "stop", "lower", "0");
    add_law(&w, "peg", "angle", "stop", "lower", "0", "upper", "1");
    assert_false(flags_of(&w, "pin.gap.1") & SS_LAW_CORRECTED);
    assert_true(flags_of(&w, "peg.gap.1") & SS_LAW_CORRECTED);
    assert_false(flags_of(&w, "pin.angle") & SS_LAW_CLOSES_ELSEWHERE);
    assert_true(flags_of(&w, "peg.angle") & SS_LAW_CLOSES_ELSEWHERE);
    assert_ok(&w, ss_model_seal(w.model));
    assert_int_equal(ss_model_law(w.model, 0).law_class, SS_LAW_BILATERAL);
    world_destroy(&w);
}

static ss_law_set set_of(world *w, const char *key, const char *value, int dim)
{
    char name[64];
    ss_law_set set;
    const double zeros[3] = {0};
    snprintf(name, sizeof name, "e%d", w->model->n_elements.count);
    add_element(w, name, "plane", "system", "ball", "normal", dim == 1 ? "0 1" : "0 0 1");
    add_law(w, name, "gap", "unilateral");
    add_law(w, name, "slip", "friction", key, value);
    const ss_law *law = &w->model->laws[w->model->n_laws.count - 1];
    ss_law_at at = {.dt = 0.5, .dim = law->dim, .g = zeros, .gamma = zeros};
    assert_ok(w, law->ops->set(law->object.self, &at, &set));
    return set;
}

static void equal_coefficients_are_a_disk(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "ball", "point", "dim", "3", "mass", "1");
    ss_law_set set = set_of(&w, "mu", "0.3 0.3", 2);
    assert_int_equal(set.set->kind, SS_SET_DISK);
    assert_true(set.scale == 0.3);
    set = set_of(&w, "bound", "4 4", 2);
    assert_int_equal(set.set->kind, SS_SET_DISK);
    assert_true(set.scale == 2);
    set = set_of(&w, "mu", "0.3 0.4", 2);
    assert_int_equal(set.set->kind, SS_SET_ELLIPSE);
    world_destroy(&w);
}

/* Of each law along its first row: Coulomb's coefficient, that at rest where it depends on the speed, and none without a
 * normal law. */
static void coefficients_are_declared(void **state)
{
    (void)state;
    const struct {
        const char *type, *key, *value, *other, *other_value;
        double friction;
    } all[] = {
        {"friction", "mu", "0.3", NULL, NULL, 0.3},
        {"friction", "mu", "0.3 0.4", NULL, NULL, 0.3},
        {"friction", "bound", "2", NULL, NULL, 0},
        {"characteristic", "mu", "0.5 0.2", "speed", "0 1", 0.5},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        world w = world_create(NULL);
        add_system(&w, "ball", "point", "dim", "3", "mass", "1");
        add_element(&w, "floor", "plane", "system", "ball", "normal", "0 0 1");
        add_law(&w, "floor", "gap", "unilateral", NULL);
        add_law(&w, "floor", "slip", all[i].type, all[i].key, all[i].value, all[i].other,
                all[i].other_value);
        assert_ok(&w, ss_model_seal(w.model));
        assert_true(ss_model_law(w.model, 0).friction == 0);
        assert_true(ss_model_law(w.model, 1).friction == all[i].friction);
        world_destroy(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_checked),
        cmocka_unit_test(flags_go_with_functions),
        cmocka_unit_test(parameters_drop_flags),
        cmocka_unit_test(equal_coefficients_are_a_disk),
        cmocka_unit_test(coefficients_are_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
