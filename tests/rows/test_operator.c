/* G P + c block by block, in both forms, against full dense matrices. */
#include "base/context.h"
#include "support/build.h"
#include "support/test.h"

static int setup(void **state)
{
    ss_context *context;
    if (ss_context_create_bare(NULL, &context) != SS_OK)
        return -1;
    *state = context;
    return 0;
}

static int teardown(void **state)
{
    ss_context_destroy(*state);
    return 0;
}

/* Systems of 1 to 6 velocities; blocks of 1 to 3 rows on none, one, two or twice the same
 * system. */
static build *random_problem(uint64_t seed)
{
    random_state random = {seed};
    build *p = build_create();
    double Minv[BUILD_NU * BUILD_NU];
    for (int nu = 1; nu <= 6; nu++) {
        build_random_Minv(&random, nu, .1, Minv);
        build_add_system(p, nu, Minv);
    }
    for (int i = 0; i < 12; i++) {
        int dim = 1 + random_below(&random, 3);
        int from = i > 0 && p->blocks[i - 1].dim == 1 ? i - 1 : -1;
        build_add_block(p, ss_set_free(dim), random_between(&random, 0, 2), from);
        for (int f = random_below(&random, 3); f > 0; f--)
            build_random_factor(&random, p, random_below(&random, 6));
    }
    build_add_block(p, ss_set_free(2), 1, -1);
    build_random_factor(&random, p, 3);
    build_random_factor(&random, p, 3);
    build_random_load(&random, p);
    return p;
}

static void close_to(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-13 * (1 + fabs(a)));
}

static void velocities(const ss_inclusion *inclusion, const double *P, const double *u,
                       double *gamma)
{
    for (int i = 0; i < inclusion->n_blocks; i++)
        ss_inclusion_velocity(inclusion, P, u, i, gamma + inclusion->blocks[i].offset);
}

static void both_forms_equal_the_dense_one(void **state)
{
    ss_context *context = *state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        build *p = random_problem(seed);
        int m = p->inclusion.n_rows;
        double G[BUILD_ROWS * 40], c[BUILD_ROWS], P[BUILD_ROWS], u[BUILD_U];
        double factored[BUILD_ROWS], assembled[BUILD_ROWS], full[BUILD_ROWS];
        assert_true(m <= 40);
        build_dense(p, G, c);
        random_state random = {seed + 1000};
        for (int k = 0; k < m; k++)
            P[k] = random_between(&random, -1, 1);
        ss_inclusion *A, *D;
        assert_int_equal(ss_inclusion_check(context, &p->inclusion), SS_OK);
        assert_int_equal(ss_inclusion_assemble(context, &p->inclusion, &A), SS_OK);
        assert_int_equal(ss_inclusion_check(context, A), SS_OK);
        assert_int_equal(
            ss_inclusion_from_dense(context, p->inclusion.n_blocks, p->blocks, G, c, &D), SS_OK);
        assert_int_equal(ss_inclusion_check(context, D), SS_OK);
        ss_inclusion_free_motion(&p->inclusion, P, u);
        velocities(&p->inclusion, NULL, u, factored);
        velocities(A, P, NULL, assembled);
        velocities(D, P, NULL, full);
        for (int h = 0; h < m; h++) {
            double expected = c[h];
            for (int k = 0; k < m; k++)
                expected += G[h * m + k] * P[k];
            close_to(factored[h], expected);
            close_to(assembled[h], expected);
            close_to(full[h], expected);
        }
        ss_inclusion_destroy(A);
        ss_inclusion_destroy(D);
        free(p);
    }
}

static void diagonal_blocks(void **state)
{
    ss_context *context = *state;
    build *p = random_problem(7);
    int m = p->inclusion.n_rows;
    double G[BUILD_ROWS * 40], c[BUILD_ROWS], Gii[9], Aii[9];
    build_dense(p, G, c);
    ss_inclusion *A;
    assert_int_equal(ss_inclusion_assemble(context, &p->inclusion, &A), SS_OK);
    for (int i = 0; i < p->inclusion.n_blocks; i++) {
        const ss_block *B = &p->blocks[i];
        ss_inclusion_diagonal(&p->inclusion, i, Gii);
        ss_inclusion_diagonal(A, i, Aii);
        for (int k = 0; k < B->dim; k++)
            for (int l = 0; l < B->dim; l++) {
                close_to(Gii[k * B->dim + l], G[(B->offset + k) * m + B->offset + l]);
                close_to(Aii[k * B->dim + l], G[(B->offset + k) * m + B->offset + l]);
            }
    }
    ss_inclusion_destroy(A);
    free(p);
}

static void a_push_is_one_column_of_the_motion(void **state)
{
    (void)state;
    build *p = random_problem(3);
    double P[BUILD_ROWS] = {0}, u[BUILD_U], pushed[BUILD_U];
    int i = p->inclusion.n_blocks - 1;
    double dP[2] = {.7, -.3};
    memcpy(P + p->blocks[i].offset, dP, sizeof dP);
    ss_inclusion_free_motion(&p->inclusion, P, u);
    memcpy(pushed, p->u_free, sizeof pushed);
    ss_inclusion_apply_impulse(&p->inclusion, i, dP, pushed);
    bool moved = false;
    for (int k = 0; k < p->inclusion.n_u; k++) {
        close_to(u[k], pushed[k]);
        moved = moved || u[k] != p->u_free[k];
    }
    assert_true(moved);
    free(p);
}

/* Two systems, three blocks: on the first, on both, on the second. */
static void only_blocks_that_share_a_system_meet(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_system(p, 1, (double[]){.5});
    build_add_system(p, 1, (double[]){.25});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){1});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 1, (double[]){3});
    build_add_factor(p, 0, (double[]){2});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 1, (double[]){1});
    ss_inclusion *A;
    assert_int_equal(ss_inclusion_assemble(context, &p->inclusion, &A), SS_OK);
    static const int start[] = {0, 2, 5, 7}, columns[] = {0, 1, 0, 1, 2, 1, 2};
    static const double values[] = {.5, 1, 1, 4.25, .75, .75, .25};
    for (int i = 0; i <= 3; i++)
        assert_int_equal(A->entry_start[i], start[i]);
    for (int e = 0; e < 7; e++) {
        assert_int_equal(A->entries[e].column, columns[e]);
        assert_true(A->entries[e].value[0] == values[e]);
    }
    ss_inclusion *copy;
    assert_int_equal(ss_inclusion_assemble(context, A, &copy), SS_OK);
    ss_inclusion_destroy(A);
    for (int e = 0; e < 7; e++) {
        assert_int_equal(copy->entries[e].column, columns[e]);
        assert_true(copy->entries[e].value[0] == values[e]);
    }
    ss_inclusion_destroy(copy);
    free(p);
}

static void scale_of_a_block(void **state)
{
    (void)state;
    build *p = build_create();
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_block(p, ss_set_interval(), .3, 0);
    build_add_block(p, ss_set_disk(2), 2, -1);
    assert_true(ss_inclusion_scale(&p->inclusion, (double[]){-5, 0, 0, 0}, 1) == .3 * 5);
    assert_true(ss_inclusion_scale(&p->inclusion, (double[]){-5, 0, 0, 0}, 2) == 2);
    free(p);
}

static void an_empty_inclusion_assembles(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_system(p, 2, (double[]){1, 0, 0, 1});
    p->u_free[0] = 3;
    double u[2];
    ss_inclusion *A;
    assert_int_equal(ss_inclusion_check(context, &p->inclusion), SS_OK);
    assert_int_equal(ss_inclusion_assemble(context, &p->inclusion, &A), SS_OK);
    assert_int_equal(A->n_blocks, 0);
    ss_inclusion_destroy(A);
    ss_inclusion_destroy(NULL);
    ss_inclusion_free_motion(&p->inclusion, NULL, u);
    assert_true(u[0] == 3 && u[1] == 0);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_equal_the_dense_one),
        cmocka_unit_test(diagonal_blocks),
        cmocka_unit_test(a_push_is_one_column_of_the_motion),
        cmocka_unit_test(only_blocks_that_share_a_system_meet),
        cmocka_unit_test(scale_of_a_block),
        cmocka_unit_test(an_empty_inclusion_assembles),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
