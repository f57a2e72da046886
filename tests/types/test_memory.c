/* test_memory.c: every allocation may fail; nothing leaks, nothing crashes, and the status says
 * so. */
#include "support/allocator.h"
#include "support/world.h"

static ss_status fill_systems(world *w)
{
    SS_TRY(try_system(w, "ball", "point", "dim", "3", "mass", "1"));
    SS_TRY(try_system(w, "box", "planar_body", "mass", "1", "inertia", "1"));
    SS_TRY(try_system(w, "bar", "planar_body", "mass", "1", "inertia", "1"));
    SS_TRY(try_system(w, "top", "body", "mass", "1", "inertia", "1 2 3", "rotation", "1 0 0 1"));
    SS_TRY(try_system(w, "tool", "body", "motion", "0 0 sin(t)", "turn", "t", "axis", "0 0 1"));
    return try_system(w, "chain", "linear", "coordinates", "a b", "mass", "1 0; 0 1", "stiffness",
                      "1 1", "damping", "1 1", "rest", "1 1", "load", "1 1");
}

static ss_status fill_elements(world *w)
{
    SS_TRY(
        try_element(w, "floor", "plane", "system", "ball", "normal", "0 0 1", "tangent", "0 1 0"));
    SS_TRY(try_element(w, "line", "plane", "system", "box", "normal", "0 1"));
    SS_TRY(try_element(w, "rope", "distance", "system", "ball", "to_point", "0 0 0", "length",
                       "1+sin(t)", "side", "inside"));
    SS_TRY(try_element(w, "hinge", "joint", "system", "box", "to", "bar", "to_point", "1 1"));
    SS_TRY(try_element(w, "axle", "cylindrical", "system", "top", "to", "tool", "axis", "0 0 1"));
    SS_TRY(try_element(w, "teeth", "gear", "system", "box", "to", "bar", "ratio", "2"));
    SS_TRY(try_law(w, "axle", "turn", "motor", "speed", "sin(t)", "limit", "1"));
    SS_TRY(try_law(w, "axle", "drive", "spring_damper", "stiffness", "1", "force", "cos(t)"));
    SS_TRY(try_law(w, "floor", "gap", "unilateral"));
    SS_TRY(try_law(w, "floor", "slip", "friction", "mu", "0.1 0.2"));
    SS_TRY(try_law(w, "line", "gap", "prestressed_spring", "preload", "1", "stiffness", "1",
                   "tolerance", "1"));
    SS_TRY(try_law(w, "line", "slip", "stribeck", "bound", "1", "delta", "1"));
    SS_TRY(try_law(w, "rope", "gap", "unilateral"));
    SS_TRY(try_law(w, "hinge", "gap", "bilateral", "stabilize", "true"));
    return try_law(w, "hinge", "angle", "stop", "lower", "-1", "upper", "1");
}

static ss_status fill_forces(world *w)
{
    SS_TRY(try_force(w, "weight", "gravity", "acceleration", "0 -1", "on", "box bar"));
    SS_TRY(try_force(w, "spring", "spring", "system", "box", "to", "bar", "stiffness", "1"));
    SS_TRY(try_force(w, "damper", "damper", "system", "box", "to", "bar", "damping", "1"));
    return try_force(w, "drive", "drive", "on", "box.phi", "position", "sin(t)", "speed", "cos(t)",
                     "stiffness", "1", "damping", "1");
}

static ss_status build(const ss_context_options *options, world *w)
{
    SS_TRY(try_world(options, w));
    SS_TRY(fill_systems(w));
    SS_TRY(fill_elements(w));
    SS_TRY(fill_forces(w));
    return ss_model_seal(w->model);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    ss_status status = SS_MEMORY;
    long most = 0;
    for (; status != SS_OK && most < 5000; most++) {
        counting_allocator counter = {.allowed = most};
        ss_context_options options = counting_options(&counter);
        world w;
        status = build(&options, &w);
        assert_true(status == SS_OK || status == SS_MEMORY);
        world_destroy(&w);
        assert_int_equal(counter.live, 0);
    }
    assert_int_equal(status, SS_OK);
    assert_true(most > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
