/* long_agreement.c: as test_agreement.c, scenes to their ends that take minutes. */

#include "agreement.h"
#include "support/test.h"

static const agreement agreements[] = {
    {"card_house", 1, 10, 0.01, .breaks = ""},
    /* Two corners of an edge stick and slip together, with forces that are not unique: beside the rounding of velocities a step of
     * 1e-12 s does not tell which does, and takes turns (with 1e-9 s the runs part before 0.452 s). Fifteen stones take minutes each. Of
     * five the last begins to fall at 0.3993 s. The edge of the last but one begins to slip at 0.467955 s, in the event-driven run with
     * forces of least norm, which are alike at both corners, and in a planar model with one contact for an edge (constant steps of
     * 4e-6, 2e-6 and 1e-6 s from 0.462 s on, extrapolated: the last stone turns with 26.5142366 rad/s at 0.476 s, event-driven
     * 26.5142366). The augmented run takes any forces. Its corners press against each other sideways, one comes to its bound at
     * 0.46768 s, they take turns, and the least step grows to 2e-4 s: 26.547 rad/s. Begun at 0.462 s, it turns the stone about the
     * vertical: normal forces that are not alike at two corners that slip make friction do so. The last stone lands at 0.4780 s. */
    {"dominoes", 0.3, 6, 0.005, .breaks = "", .why = "minutes for every stone: see the next"},
    {"dominoes", 0.46, 10, 0.005, .breaks = "", .model = {"n=5", "plots.heights.y=[stone_0.z]"},
     .augmented = {"simulation.step_min=1e-10", "solver.tolerance=1e-14"},
     .why = "forces of an edge that slips are not unique from 0.4677 s on; infinitely many impacts "
            "from 0.4793 s on"},
    {"egg", 17, 20, 0.01, .breaks = ""},
    /* All its nodes: long_agreement_cable.c. */
    {"elevator", 9.8, 20, 1e-3, .breaks = "", .model = {"n=8"},
     .augmented = {"simulation.absolute_u=1e-10", "simulation.relative_u=1e-10",
                   "simulation.absolute_q=1e-11"}},
    /* It lies flat at 1.89 s, T of the scene. Its turns until then are infinitely many, ∫Ω dt with Ω ~ 1/(T - t), and in every one
     * it slides and sticks again. */
    {"euler_disk", 1.85, 37, 0.005, .breaks = "",
     .why = "infinitely many turns, each with two events, before it lies flat at 1.89 s"},
    {"mixer", 10, 10, 0.01, .breaks = "", .model = {"n=1"}},
    {"motorbike", 4, 16, 0.002, .breaks = "", .model = {"M=300"}},
    {"motorbike", 4, 16, 0.002, .breaks = "1, "},
    {"rattleback", 8, 20, 0.01, .breaks = ""},
    /* At 1.7315 s the ball hits a wall for 1 ms: that alone multiplies differences by some hundred. */
    {"shaken_box", 5.6, 14, 0.005, .breaks = "",
     .model = {"others=0", "epsilon=0", "plots.heights.y=[ball.z]"},
     .event = {"simulation.method=adams", "simulation.relative=1e-13", "simulation.absolute=1e-14"},
     .why =
         "from 5.6198 s on it sticks at two walls, for as long as forces that are not unique say"},
    {"stack", 1, 10, 0.01, .breaks = ""},
    {"table", 20, 20, 0.05, .breaks = ""},
    {"tippe_top", 2.5, 10, 0.005, .breaks = ""},
};

static void ends_are_said(void **state)
{
    (void)state;
    check_ends(sizeof agreements / sizeof *agreements, agreements);
}

static void scenes_agree_to_their_ends(void **state)
{
    (void)state;
    compare_methods(sizeof agreements / sizeof *agreements, agreements);
}

static void cuts_are_true(void **state)
{
    (void)state;
    show_cuts(sizeof agreements / sizeof *agreements, agreements);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_are_said),
                                       cmocka_unit_test(cuts_are_true),
                                       cmocka_unit_test(scenes_agree_to_their_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
