/* Which laws contradict each other: found where impulses exist that prove it, never where there is a solution. */
#include "base/context.h"
#include "rows/residual.h"
#include "support/build.h"
#include "support/test.h"

#include <math.h>

static int setup(void **state)
{
    ss_context *context;
    if (ss_context_create_bare(NULL, &context) != SS_OK ||
        ss_register_builtin_sets(context) != SS_OK)
        return -1;
    *state = context;
    return 0;
}

static int teardown(void **state)
{
    ss_context_destroy(*state);
    return 0;
}

static int count_of(void **state, const build *p, const double *P, int blocks[4])
{
    static const double zero[BUILD_ROWS] = {0};
    int count = -1;
    ss_status status =
        ss_inclusion_contradiction(*state, &p->inclusion, P ? P : zero, 4, blocks, &count);
    assert_int_equal(status, SS_OK);
    return count;
}

/* One body, and rows along its first coordinate with signs; `speed` of each that is asked for. */
static build *along(int n, const ss_set *const *sets, const double *W, const double *b)
{
    build *p = build_create();
    build_add_system(p, 1, (double[]){1});
    for (int i = 0; i < n; i++) {
        build_add_block(p, sets[i], 1, -1);
        build_add_factor(p, 0, &W[i]);
        p->b[i] = b[i];
    }
    return p;
}

static void walls_that_approach(void **state)
{
    const ss_set *line = ss_set_half_line(), *sets[] = {line, line, line};
    int blocks[4];
    build *p = along(2, sets, (double[]){1, -1}, (double[]){-1, -1});
    assert_int_equal(count_of(state, p, NULL, blocks), 2);
    assert_true(blocks[0] == 0 && blocks[1] == 1);
    p->b[1] = 1; /* the second wall leaves as fast */
    assert_int_equal(count_of(state, p, NULL, blocks), 0);
    p->b[1] = 1 - 1e-3; /* not quite */
    assert_int_equal(count_of(state, p, NULL, blocks), 2);
    free(p);
    /* a row that takes no part is not named */
    p = along(3, sets, (double[]){1, 1, -1}, (double[]){5, -1, -1});
    assert_int_equal(count_of(state, p, NULL, blocks), 2);
    assert_true(blocks[0] == 1 && blocks[1] == 2);
    free(p);
}

static void joints(void **state)
{
    const ss_set *free_line = ss_set_free(1), *sets[] = {free_line, free_line, ss_set_interval()};
    int blocks[4];
    build *p = along(2, sets, (double[]){1, 2}, (double[]){0, 1});
    assert_int_equal(count_of(state, p, NULL, blocks), 2);
    p->b[0] = 0.5; /* 2 (u + 1/2) = 2u + 1 */
    assert_int_equal(count_of(state, p, NULL, blocks), 0);
    free(p);
    /* a motor with a limit gives way */
    p = along(2, sets + 1, (double[]){1, 1}, (double[]){0, 1});
    assert_int_equal(count_of(state, p, NULL, blocks), 0);
    free(p);
}

/* What is driven cannot be moved: W = 0. */
static void what_nothing_moves(void **state)
{
    const ss_set *sets[] = {ss_set_free(1)};
    int blocks[4];
    build *p = along(1, sets, (double[]){0}, (double[]){1e-9});
    assert_int_equal(count_of(state, p, NULL, blocks), 1);
    p->b[0] = 0;
    assert_int_equal(count_of(state, p, NULL, blocks), 0);
    free(p);
}

/* Friction has no say where walls squeeze a body, and can hold what is wedged. */
static void walls_with_friction(void **state)
{
    int blocks[4];
    for (int wedge = 0; wedge < 2; wedge++) {
        build *p = build_create();
        build_add_system(p, 2, (double[]){1, 0, 0, 1});
        for (int side = -1; side <= 1; side += 2) {
            double lean = wedge ? 0.2 : 0;
            build_add_block(p, ss_set_half_line(), 1, -1);
            build_add_factor(p, 0, (double[]){lean, side});
            p->b[p->inclusion.n_rows - 1] = -1;
            build_add_block(p, ss_set_interval(), 0.5, p->inclusion.n_blocks - 1);
            build_add_factor(p, 0, (double[]){side, -lean});
        }
        assert_int_equal(count_of(state, p, NULL, blocks), wedge ? 0 : 2);
        if (!wedge)
            assert_true(blocks[0] == 0 && blocks[1] == 2);
        free(p);
    }
}

enum { N_U = 6, ROWS = 16 };

/* Random rows on six coordinates, unilateral and bilateral, with scales that differ widely. */
static build *random_rows(random_state *random, double W[ROWS][N_U])
{
    build *p = build_create();
    double Minv[N_U * N_U] = {0};
    for (int k = 0; k < N_U; k++)
        Minv[k * N_U + k] = pow(10, random_between(random, -3, 3));
    build_add_system(p, N_U, Minv);
    for (int i = 0; i < ROWS; i++) {
        build_add_block(p, i % 4 ? ss_set_half_line() : ss_set_free(1), 1, -1);
        for (int k = 0; k < N_U; k++)
            W[i][k] = random_between(random, -1, 1) * sqrt(1 / Minv[k * N_U + k]);
        build_add_factor(p, 0, W[i]);
    }
    return p;
}

/* b = -Wᵀu for bilateral rows, and not less for others: u needs no impulses. */
static void what_has_a_solution_is_not_named(void **state)
{
    random_state random = {5};
    int blocks[4];
    for (int n = 0; n < 500; n++) {
        double W[ROWS][N_U], u[N_U];
        build *p = random_rows(&random, W);
        for (int k = 0; k < N_U; k++)
            u[k] = random_between(&random, -1, 1) / fabs(W[0][k]);
        for (int i = 0; i < ROWS; i++) {
            p->b[i] =
                i % 4 && random_between(&random, 0, 1) < 0.5 ? random_between(&random, 0, 1) : 0;
            for (int k = 0; k < N_U; k++)
                p->b[i] -= W[i][k] * u[k];
        }
        assert_int_equal(count_of(state, p, NULL, blocks), 0);
        free(p);
    }
}

/* The last row is -Σ of those before with positive weights, and what it asks for contradicts theirs. */
static void what_has_none_is_named(void **state)
{
    random_state random = {6};
    int blocks[4];
    for (int n = 0; n < 500; n++) {
        double W[ROWS][N_U], u[N_U], weight;
        build *p = random_rows(&random, W);
        for (int k = 0; k < N_U; k++)
            u[k] = random_between(&random, -1, 1) / fabs(W[0][k]);
        for (int i = 0; i < ROWS; i++) {
            p->b[i] = i % 4 ? 10 : 0;
            for (int k = 0; k < N_U; k++)
                p->b[i] -= W[i][k] * u[k];
        }
        double *last = p->W[p->factor_start[ROWS - 1]];
        memset(last, 0, N_U * sizeof *last);
        p->b[ROWS - 1] = 0;
        for (int i = 1; i < 3; i++) { /* two half lines */
            weight = random_between(&random, 0.5, 2);
            p->b[ROWS - 1] -= weight * p->b[i];
            for (int k = 0; k < N_U; k++)
                last[k] -= weight * W[i][k];
        }
        p->b[ROWS - 1] -= 10;
        for (int k = 0; k < N_U; k++)
            p->MinvW[p->factor_start[ROWS - 1]][k] = last[k] * p->systems[0].Minv[k * N_U + k];
        assert_true(count_of(state, p, NULL, blocks) > 0);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_that_approach),
        cmocka_unit_test(joints),
        cmocka_unit_test(what_nothing_moves),
        cmocka_unit_test(walls_with_friction),
        cmocka_unit_test(what_has_a_solution_is_not_named),
        cmocka_unit_test(what_has_none_is_named),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
