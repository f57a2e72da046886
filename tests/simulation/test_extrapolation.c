/* test_extrapolation.c: the tableau of Aitken and Neville. */

#include "simulation/augmented/extrapolation.h"
#include "support/test.h"

#include <math.h>

#define NEAR(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))

/* y' = 3x² from 0 to 1 with n steps of Euler's rule. */
static double euler(int n)
{
    double y = 0, h = 1.0 / n;
    for (int i = 0; i < n; i++)
        y += 3 * (i * h) * (i * h) * h;
    return y;
}

/* The example S6.88: 0; 5/9, 5/6; 18/25, 29/30, 1. */
static void example_of_the_book(void **state)
{
    (void)state;
    double memory[64], y;
    ss_tableau tableau;
    assert_true(ss_tableau_capacity(1) <= 64);
    ss_tableau_init(&tableau, 1, memory);
    const double expected[3][3] = {{0}, {5.0 / 9, 5.0 / 6}, {18.0 / 25, 29.0 / 30, 1}};
    for (int row = 0; row < 3; row++) {
        y = euler(2 * row + 1);
        ss_tableau_add(&tableau, 2 * row + 1, &y);
        for (int j = 0; j <= row; j++)
            NEAR(tableau.T[j], expected[row][j], 1e-15);
        NEAR(*ss_tableau_best(&tableau), expected[row][row], 1e-15);
    }
    NEAR(tableau.change[0], 1 - 5.0 / 6, 1e-15);
}

/* Approximations with an error that is a polynomial of degree k in the step size are exact after k
 * + 1 rows, and not before; several numbers are extrapolated independently. */
static void polynomials_are_exact(void **state)
{
    (void)state;
    double memory[256];
    ss_tableau tableau;
    for (int all = 0; all < 2; all++) {
        ss_tableau_init(&tableau, 3, memory);
        ss_tableau_clear(&tableau);
        for (int row = 0; row < 6; row++) {
            int n = all ? row + 1 : 2 * row + 1;
            double h = 1.0 / n, y[3] = {2 + h, 3 - pow(h, 3), -1 + 4 * pow(h, 5) - h * h};
            ss_tableau_add(&tableau, n, y);
            const double *best = ss_tableau_best(&tableau);
            const double limit[3] = {2, 3, -1};
            const int degree[3] = {1, 3, 5};
            for (int i = 0; i < 3; i++) {
                if (row >= degree[i])
                    NEAR(best[i], limit[i], 1e-12);
                else
                    assert_true(fabs(best[i] - limit[i]) > 1e-6);
            }
        }
    }
}

static void clearing_starts_anew(void **state)
{
    (void)state;
    double memory[64], y = 5;
    ss_tableau tableau;
    ss_tableau_init(&tableau, 1, memory);
    ss_tableau_add(&tableau, 1, &y);
    y = 7;
    ss_tableau_add(&tableau, 3, &y);
    NEAR(*ss_tableau_best(&tableau), 8, 1e-15); /* 7 + (7 - 5)/2 */
    ss_tableau_clear(&tableau);
    ss_tableau_add(&tableau, 1, &y);
    assert_true(*ss_tableau_best(&tableau) == 7);
    assert_true(tableau.change[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_of_the_book),
        cmocka_unit_test(polynomials_are_exact),
        cmocka_unit_test(clearing_starts_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
