/* long_agreement.c: as test_agreement.c, scenes to their ends that take minutes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agreement.h"

static const agreement agreements[] = {
    {"card_house", 1, 10, 0.01, .breaks = ""},
    {"dominoes", 1.2, 24, 0.005, .breaks = ""},
    {"egg", 2, 20, 0.01, .breaks = "", .why = "it goes on like this for 15 s more, which takes an hour"},
    {"elevator", 9.8, 20, 1e-3, .breaks = "", .model = {"n=8"},
     .augmented = {"simulation.absolute_u=1e-10", "simulation.relative_u=1e-10",
                   "simulation.absolute_q=1e-11"}},
    {"euler_disk", 2, 40, 0.005, .breaks = ""},
    {"motorbike", 4, 16, 0.002, .breaks = "", .model = {"M=300"}},
    {"rattleback", 8, 40, 0.01, .breaks = ""},
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_are_said),
                                       cmocka_unit_test(scenes_agree_to_their_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
