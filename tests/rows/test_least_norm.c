/* Impulses of least norm: closed forms, and the conditions of optimality where cones hold them back. */
#include "rows/least_norm.h"

#include "base/context.h"

#include "support/test.h"

#include <math.h>

static void expect_ok(ss_context *context, ss_status status)
{
    if (status != SS_OK)
        fail_msg("%s", ss_context_message(context));
}

static int context_setup(void **state)
{
    ss_context *context;
    if (ss_context_create_bare(NULL, &context) != SS_OK)
        return -1;
    *state = context;
    return 0;
}

static int context_teardown(void **state)
{
    ss_context_destroy(*state);
    return 0;
}

/* Four normal impulses at the corners of a face, and what they do together: a force and two moments. */
static void begin(ss_least_norm *s, ss_context *context, const double y[4])
{
    const double C[3][4] = {{1, 1, 1, 1}, {1, -1, -1, 1}, {1, 1, -1, -1}};
    *s = (ss_least_norm){0};
    expect_ok(context, ss_least_norm_reserve(s, context, 12, 12));
    s->n = 4;
    s->r = 3;
    s->n_parts = 4;
    for (int i = 0; i < 3; i++) {
        s->d[i] = 0;
        for (int k = 0; k < 4; k++)
            s->C[i * 4 + k] = C[i][k];
    }
    for (int k = 0; k < 4; k++) {
        s->y[k] = y[k];
        s->parts[k] = (ss_norm_part){.kind = SS_NORM_CONE, .first = k, .dim = 1};
    }
}

static void an_even_load(void **state)
{
    ss_context *context = *state;
    ss_least_norm s;
    begin(&s, context, (const double[4]){3, 1, 3, 1});
    assert_true(ss_least_norm_find(&s));
    for (int k = 0; k < 4; k++)
        assert_true(fabs(s.y[k] - 2) < 1e-13);
    ss_least_norm_release(&s);
    begin(&s, context, (const double[4]){4, 1, 2, 1}); /* linear over the face */
    assert_true(ss_least_norm_find(&s));
    const double linear[4] = {3, 2, 1, 2};
    for (int k = 0; k < 4; k++)
        assert_true(fabs(s.y[k] - linear[k]) < 1e-13);
    ss_least_norm_release(&s);
}

/* Without its set the load would pull at the corner across: 3 of 4 carry, and statics decide. */
static void no_corner_pulls(void **state)
{
    ss_context *context = *state;
    ss_least_norm s;
    begin(&s, context, (const double[4]){5, 1, 0, 1});
    assert_true(ss_least_norm_find(&s));
    const double expected[4] = {5, 1, 0, 1};
    for (int k = 0; k < 4; k++)
        assert_true(fabs(s.y[k] - expected[k]) < 1e-12);
    ss_least_norm_release(&s);
}

/* Of two contacts the first slides: with N_2 = (3 - N_1)/2, T_1 = N_1, T_2 = 1.9 - N_1 the sum of squares is least at
 * 6.5 N_1 = 5.3. */
static void friction_stays_in_its_cone(void **state)
{
    ss_context *context = *state;
    ss_least_norm s = {0};
    expect_ok(context, ss_least_norm_reserve(&s, context, 12, 12));
    s.n = 4; /* N_1, T_1, N_2, T_2 */
    s.r = 2;
    s.n_parts = 2;
    const double C[2][4] = {{1, 0, 2, 0}, {0, 1, 0, 1}};
    const double y[4] = {1, 1, 1, 0.9};
    for (int i = 0; i < 2; i++) {
        s.d[i] = 0;
        for (int k = 0; k < 4; k++)
            s.C[i * 4 + k] = C[i][k];
    }
    for (int k = 0; k < 4; k++)
        s.y[k] = y[k];
    for (int k = 0; k < 2; k++) {
        s.parts[k] =
            (ss_norm_part){.kind = SS_NORM_CONE, .first = 2 * k, .dim = 1, .n_frictions = 1};
        s.parts[k].friction[0].first = 2 * k + 1;
        s.parts[k].friction[0].dim = 1;
    }
    assert_true(ss_least_norm_find(&s));
    assert_true(fabs(s.y[0] + 2 * s.y[2] - 3) < 1e-12 && fabs(s.y[1] + s.y[3] - 1.9) < 1e-12);
    assert_true(fabs(s.y[0] - 5.3 / 6.5) < 1e-12 && fabs(s.y[1] - s.y[0]) < 1e-12);
    ss_least_norm_release(&s);
}

static void what_is_fixed_stays(void **state)
{
    ss_context *context = *state;
    ss_least_norm s;
    begin(&s, context, (const double[4]){3, 1, 3, 1});
    s.parts[2].kind = SS_NORM_FIXED;
    assert_true(ss_least_norm_find(&s));
    const double expected[4] = {3, 1, 3, 1};
    for (int k = 0; k < 4; k++)
        assert_true(fabs(s.y[k] - expected[k]) < 1e-12);
    ss_least_norm_release(&s);
}

static void rows_that_depend_on_others(void **state)
{
    (void)state;
    double A[16], scratch[4];
    int row[4];
    const double W[4][2] = {{1, 0}, {2, 0}, {0, 1}, {1, 1}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            A[4 * i + j] = W[i][0] * W[j][0] + W[i][1] * W[j][1];
    assert_int_equal(ss_independent_rows(4, A, 1e-13, row, scratch), 2);
    double det = W[row[0]][0] * W[row[1]][1] - W[row[0]][1] * W[row[1]][0];
    assert_true(fabs(det) > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_even_load, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(no_corner_pulls, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(friction_stays_in_its_cone, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(what_is_fixed_stays, context_setup, context_teardown),
        cmocka_unit_test(rows_that_depend_on_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
