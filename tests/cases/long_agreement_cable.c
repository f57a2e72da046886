/* long_agreement_cable.c: as long_agreement.c, the elevator's cable with all its 100 nodes: a third of an hour of processor.
 *
 * The cable's damping is faster (3e5/s) than anything that is to be followed: the substeps of the augmented run are linearly
 * implicit. Rounding of positions, 4e-15 m at 20 m, is 3e-11 m/s where springs and dampers decide on velocities (E/D = 8400/s), and
 * 170 times that when extrapolated: smaller errors of a step are not to be seen. The rows of nodes that are wound, up to 65, all
 * act on the first one, and rounding is 4e-15 of what the solver compares; sorprox does not come below 1e-11. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agreement.h"

static const agreement cable = {"elevator", 9.8, 20, 1e-3, .breaks = "",
                                .event = {"simulation.absolute=1e-11"},
                                .augmented = {"scheme.type=theta", "scheme.theta=1",
                                              "scheme.laws=velocity", "simulation.absolute_u=1e-8",
                                              "simulation.relative_u=1e-10",
                                              "simulation.absolute_q=1e-11", "solver.type=exact",
                                              "solver.tolerance=1e-13"}};

static void the_end_is_reached(void **state)
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_end_is_reached),
                                       cmocka_unit_test(the_cable_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
