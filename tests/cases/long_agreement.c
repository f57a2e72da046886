/* long_agreement.c: as test_agreement.c, scenes to their ends that take minutes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agreement.h"

static const agreement agreements[] = {
    {"card_house", 1, 10, 0.01, .breaks = ""},
    {"closed_box", 0.4, 4, 0.01, .breaks = ""},
    {"egg", 2, 20, 0.01, .breaks = ""},
    {"elevator", 9.8, 20, 1e-3, .breaks = "", .model = {"n=8"},
     .augmented = {"simulation.absolute_u=1e-10", "simulation.relative_u=1e-10",
                   "simulation.absolute_q=1e-11"}},
    {"motorbike", 4, 16, 0.002, .breaks = "", .model = {"M=300"}},
    {"rattleback", 4, 20, 0.01, .breaks = ""},
    {"stack", 1, 10, 0.01, .breaks = ""},
    {"tippe_top", 2.5, 10, 0.005, .breaks = ""},
};

static void scenes_agree_to_their_ends(void **state)
{
    (void)state;
    compare_methods(sizeof agreements / sizeof *agreements, agreements);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes_agree_to_their_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
