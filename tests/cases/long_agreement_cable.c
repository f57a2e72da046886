/* long_agreement_cable.c: as long_agreement.c, the elevator's cable with all its 100 nodes: some twenty minutes of processor.
 *
 * The cable's damping is faster (3e5/s) than anything that is to be followed: the substeps of the augmented run are linearly
 * implicit. Rounding of positions, 4e-15 m at 20 m, is 3e-11 m/s where springs and dampers decide on velocities (E/D = 8400/s), and
 * 170 times that when extrapolated: smaller errors of a step are not to be seen. The rows of nodes that are wound, up to 65, all
 * act on the first one: sorprox is at 1e-11 after 10000 sweeps.
 *
 * When the reel starts or stops, nodes that are wound slide for 3.7 µs, and come to rest one by one within 1e-7 s. With ten times the
 * friction they do so within 1e-8 s after 0.37 µs: at 5.2 s, with 65 of them, the augmented run then makes one step over all of that
 * and takes it for smooth. */

#include "agreement.h"
#include "support/test.h"

static const agreement cable = {
    "elevator",
    9.8,
    20,
    1e-3,
    .breaks = "",
    .event = {"simulation.absolute=1e-11"},
    .augmented = {"scheme.type=theta", "scheme.theta=1", "scheme.laws=velocity",
                  "simulation.absolute_u=1e-8", "simulation.relative_u=1e-10",
                  "simulation.absolute_q=1e-11", "solver.type=exact", "solver.tolerance=1e-13"}};

static void its_end_is_said(void **state)
{
    (void)state;
    check_ends(1, &cable);
}

static void the_cable_agrees(void **state)
{
    (void)state;
    compare_methods(1, &cable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(its_end_is_said),
                                       cmocka_unit_test(the_cable_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
