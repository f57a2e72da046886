/* heap.h: balls that fall onto a floor and onto each other: a motion with contacts of shapes. */
#ifndef SS_TESTS_RECORD_HEAP_H
#define SS_TESTS_RECORD_HEAP_H

#include "record/ball.h"

/* Radius 0.1 m, 2 kg. options may be NULL. */
static inline world heap_world(const ss_context_options *options)
{
    world w = world_create(options);
    assert_ok(&w, ss_register_builtin_schemes(w.context));
    assert_ok(&w, ss_register_builtin_simulations(w.context));
    add_system(&w, "a", "body", "mass", "2", "inertia", "0.008", "position", "0 0 0.15");
    add_system(&w, "b", "body", "mass", "2", "inertia", "0.008", "position", "0.02 0 0.4");
    add_system(&w, "c", "body", "mass", "2", "inertia", "0.008", "position", "0 0.03 0.65",
               "velocity", "0.3 0 0 0 0 0");
    add_shape(&w, "floor", "plane");
    add_shape(&w, "a", "sphere", "radius", "0.1", "on", "a");
    add_shape(&w, "b", "sphere", "radius", "0.1", "on", "b");
    add_shape(&w, "c", "sphere", "radius", "0.1", "on", "c");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_law(&w, "contact", "slip", "friction", "mu", "0.3");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    return w;
}

#endif
