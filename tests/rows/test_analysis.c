/* test_analysis.c: rank, null space and uniqueness. */

#include "base/context.h"
#include "support/build.h"
#include "support/test.h"

#include <stickslip/analysis.h>

#include <math.h>

static ss_determinacy determine(const build *p, const double *P, double *direction)
{
    ss_context *context;
    ss_analysis *analysis;
    ss_determinacy d;
    double u[BUILD_U];
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    assert_int_equal(ss_analysis_create(context, &analysis), SS_OK);
    ss_inclusion_free_motion(&p->inclusion, P, u);
    assert_int_equal(ss_analysis_determine(analysis, &p->inclusion, P, u, 1e-9, &d), SS_OK);
    if (direction && d.nullity > 0)
        ss_analysis_null_direction(analysis, 0, direction);
    ss_analysis_destroy(analysis);
    ss_context_destroy(context);
    return d;
}

/* A point on n half lines that all push the same way: rank 1. */
static build *stacked(int n, double v)
{
    build *p = build_create();
    build_add_system(p, 1, (double[]){2});
    for (int i = 0; i < n; i++) {
        build_add_block(p, ss_set_half_line(), 1, -1);
        build_add_factor(p, 0, (double[]){1});
    }
    p->u_free[0] = v;
    return p;
}

static void redundant_contacts(void **state)
{
    (void)state;
    for (int n = 1; n < 6; n++) {
        build *p = stacked(n, -1);
        double P[6] = {0}, direction[6] = {0}, sum = 0;
        for (int i = 0; i < n; i++)
            P[i] = 0.5 / n;
        ss_determinacy d = determine(p, P, direction);
        assert_int_equal(d.held, n);
        assert_int_equal(d.rank, 1);
        assert_int_equal(d.nullity, n - 1);
        assert_int_equal(d.forces_unique, n == 1);
        assert_true(d.motion_unique);
        for (int i = 0; i < n; i++)
            sum += direction[i];
        assert_true(fabs(sum) < 1e-12);
        free(p);
    }
}

/* Two contacts that merely contact: the rank is deficient, but no force other than none is possible. */
static void no_capacity_to_choose(void **state)
{
    (void)state;
    build *p = stacked(2, 0);
    double P[2] = {0};
    ss_determinacy d = determine(p, P, NULL);
    assert_int_equal(d.nullity, 1);
    assert_true(d.forces_unique && d.motion_unique);
    free(p);
}

/* A wedge: two contacts that press against each other may do so with any force. */
static void jammed(void **state)
{
    (void)state;
    build *p = build_create();
    build_add_system(p, 1, (double[]){1});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){1});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){-1});
    double P[2] = {0, 0}, direction[2];
    ss_determinacy d = determine(p, P, direction);
    assert_int_equal(d.nullity, 1);
    assert_false(d.forces_unique);
    assert_true(d.motion_unique);
    assert_true(fabs(direction[0] - direction[1]) < 1e-12);
    free(p);
}

/* Sliding on two contacts with different friction: the motion depends on the choice. */
static void sliding_decides_the_motion(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        build *p = build_create();
        build_add_system(p, 2, (double[]){1, 0, 0, 1});
        for (int i = 0; i < 2; i++) {
            build_add_block(p, ss_set_half_line(), 1, -1);
            build_add_factor(p, 0, (double[]){0, 1});
            build_add_block(p, ss_set_interval(), i && !same ? 0.2 : 0.5, 2 * i);
            build_add_factor(p, 0, (double[]){1, 0});
        }
        p->u_free[0] = 3;
        p->u_free[1] = -1;
        double P[4] = {0.5, -0.25, 0.5, same ? -0.25 : -0.1}, direction[4];
        ss_determinacy d = determine(p, P, direction);
        assert_int_equal(d.held, 2);
        assert_int_equal(d.nullity, 1);
        assert_false(d.forces_unique);
        assert_int_equal(d.motion_unique, same);
        assert_true(fabs(direction[1] + 0.5 * direction[0]) < 1e-12); /* P_T = -μ P_N */
        free(p);
    }
}

/* Random joints: the rank of W decides. */
static void random_joints(void **state)
{
    (void)state;
    random_state r = {7};
    for (int k = 0; k < 100; k++) {
        int n = 1 + random_below(&r, 8), rank = 1 + random_below(&r, 4);
        double base[4][4], P[8] = {0}, direction[8];
        build *p = build_create();
        build_add_system(p, 4, (double[]){1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0.5});
        for (int i = 0; i < rank; i++)
            for (int j = 0; j < 4; j++)
                base[i][j] = random_normal(&r);
        for (int i = 0; i < n; i++) {
            double w[4] = {0};
            for (int a = 0; a < rank; a++) {
                double share = random_normal(&r);
                for (int j = 0; j < 4; j++)
                    w[j] += share * base[a][j];
            }
            build_add_block(p, ss_set_free(1), 1, -1);
            build_add_factor(p, 0, w);
        }
        ss_determinacy d = determine(p, P, direction);
        int expected = n < rank ? n : rank;
        assert_int_equal(d.held, n);
        assert_int_equal(d.rank, expected);
        assert_int_equal(d.forces_unique, n == expected);
        double u[4] = {0};
        for (int i = 0; i < n && d.nullity > 0; i++)
            ss_inclusion_apply_impulse(&p->inclusion, i, direction + i, u);
        for (int j = 0; j < 4; j++)
            assert_true(fabs(u[j]) < 1e-8);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_contacts),
        cmocka_unit_test(no_capacity_to_choose),
        cmocka_unit_test(jammed),
        cmocka_unit_test(sliding_decides_the_motion),
        cmocka_unit_test(random_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
