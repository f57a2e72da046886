/* test_marginal.c: modes that rounding decides. One block, G = 1: P + c = γ. */

#include "rows/residual.h"
#include "support/build.h"
#include "support/test.h"

/* The mode of a block of one or two rows with velocities u and impulses P; the free velocities
 * are such that u = u_free + P. */
static ss_mode mode_of(const ss_set *set, double scale, const double *u, const double *P,
                       bool *marginal)
{
    build *p = build_create();
    int n = set->dim;
    double identity[4] = {1, 0, 0, 1}, one[1] = {1};
    ss_mode mode;
    int system = build_add_system(p, n, n == 1 ? one : identity);
    build_add_block(p, set, scale, -1);
    build_add_factor(p, system, n == 1 ? one : identity);
    for (int i = 0; i < n; i++)
        p->u_free[i] = u[i] - P[i];
    ss_inclusion_modes_marginal(&p->inclusion, P, u, 0, &mode, marginal);
    ss_mode plain;
    ss_inclusion_modes(&p->inclusion, P, u, 0, &plain);
    assert_int_equal(mode, plain);
    free(p);
    return mode;
}

static void check(const ss_set *set, double scale, double u, double P, ss_mode expected,
                  bool expected_marginal)
{
    bool marginal;
    assert_int_equal(mode_of(set, scale, &u, &P, &marginal), expected);
    assert_int_equal(marginal, expected_marginal);
}

static void half_line(void **state)
{
    (void)state;
    const ss_set *set = ss_set_half_line();
    check(set, 1, 0, 1, SS_MODE_CONSTRAINT, false);
    check(set, 1, 1, 0, SS_MODE_IMPRESSED, false);
    check(set, 1, 1e-6, 0, SS_MODE_IMPRESSED, false);
    check(set, 1, 0, 1e-6, SS_MODE_CONSTRAINT, false);
}

/* γ is a difference of numbers of size 1: what is left below 1e-14 is rounding. */
static void half_line_within_rounding(void **state)
{
    (void)state;
    build *p = build_create();
    double one = 1, mode_u[2] = {1, -1};
    int a = build_add_system(p, 1, &one), b = build_add_system(p, 1, &one);
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, a, &one);
    build_add_factor(p, b, &one);
    const double P[] = {0, 0, 1e-15, 1e-12}, gamma[] = {1e-15, 1e-12, 0, 0};
    const ss_mode modes[] = {SS_MODE_CONSTRAINT, SS_MODE_IMPRESSED, SS_MODE_CONSTRAINT,
                             SS_MODE_CONSTRAINT};
    const bool marginals[] = {true, false, true, false};
    for (int i = 0; i < 4; i++) {
        double u[2] = {mode_u[0] + gamma[i], mode_u[1]};
        ss_mode mode;
        bool marginal;
        for (int k = 0; k < 2; k++)
            p->u_free[k] = u[k] - P[i];
        ss_inclusion_modes_marginal(&p->inclusion, &P[i], u, 0, &mode, &marginal);
        assert_int_equal(mode, modes[i]);
        assert_int_equal(marginal, marginals[i]);
    }
    free(p);
}

static void disk(void **state)
{
    (void)state;
    bool marginal;
    const double rest[2] = {0, 0}, inside[2] = {0.6, 0.7}, edge[2] = {0.6, 0.8};
    const double slip[2] = {-0.3, -0.4};
    assert_int_equal(mode_of(ss_set_disk(2), 1, rest, inside, &marginal), SS_MODE_CONSTRAINT);
    assert_false(marginal);
    assert_int_equal(mode_of(ss_set_disk(2), 1, slip, edge, &marginal), SS_MODE_IMPRESSED);
    assert_false(marginal);
}

/* A disk of no radius at rest: friction of a contact without force holds, or not. */
static void nothing_to_hold_with(void **state)
{
    (void)state;
    build *p = build_create();
    double identity[4] = {1, 0, 0, 1}, P[2] = {0, 0}, u[4] = {1, 2, -1, -2};
    int a = build_add_system(p, 2, identity), b = build_add_system(p, 2, identity);
    build_add_block(p, ss_set_disk(2), 0, -1);
    build_add_factor(p, a, identity);
    build_add_factor(p, b, identity);
    ss_mode mode;
    bool marginal;
    for (int k = 0; k < 4; k++)
        p->u_free[k] = u[k];
    ss_inclusion_modes_marginal(&p->inclusion, P, u, 0, &mode, &marginal);
    assert_int_equal(mode, SS_MODE_CONSTRAINT);
    assert_true(marginal);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_line),
        cmocka_unit_test(half_line_within_rounding),
        cmocka_unit_test(disk),
        cmocka_unit_test(nothing_to_hold_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
