/* Problems as text: what is read, what is refused, and the residual of this field. */
#include "base/context.h"
#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

#include <stickslip/problem.h>

#include <stdio.h>
#include <string.h>

static const char path[] = SS_BINARY_DIR "/test_problem.fcp";

static int setup(void **state)
{
    return ss_context_create_bare(NULL, (ss_context **)state) == SS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    ss_context_destroy(*state);
    return 0;
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Two planar contacts; one element is given in two parts, and one pair is not symmetric. */
static const char planar[] = "2 2 7\n0 0 1.5\n0 0 0.5\n1 1 3\n2 2 4\n3 3 5\n0 2 0.25\n3 0 -1e-1\n"
                             "-1 0.5\n-2 0\n0.3 0.4\n";

static void reads_text(void **state)
{
    ss_problem *p;
    write_text(planar);
    assert_int_equal(ss_problem_read(*state, path, &p), SS_OK);
    const ss_inclusion *A = ss_problem_inclusion(p);
    assert_int_equal(ss_inclusion_check(*state, A), SS_OK);
    assert_int_equal(ss_problem_dimension(p), 2);
    assert_int_equal(ss_problem_contacts(p), 2);
    assert_int_equal(A->n_blocks, 4);
    assert_true(A->blocks[1].scale == 0.3 && A->blocks[1].scale_from == 0);
    assert_true(A->blocks[3].scale == 0.4 && A->blocks[3].scale_from == 2);
    double gamma, P[4] = {1, 2, 4, 8};
    ss_inclusion_velocity(A, P, NULL, 0, &gamma);
    assert_true(gamma == 2 * 1 + 0.25 * 4 - 1);
    ss_inclusion_velocity(A, P, NULL, 2, &gamma);
    assert_true(gamma == 4 * 4 - 2);
    ss_inclusion_velocity(A, P, NULL, 3, &gamma);
    assert_true(fabs(gamma - (5 * 8 - 0.1)) < 1e-15);
    ss_problem_destroy(p);
}

static void symmetrizes(void **state)
{
    ss_problem *p;
    double gamma, P[4] = {1, 2, 4, 8};
    write_text(planar);
    assert_int_equal(ss_problem_read(*state, path, &p), SS_OK);
    assert_true(fabs(ss_problem_asymmetry(p) - 0.25 / 5) < 1e-15);
    ss_problem_symmetrize(p);
    assert_true(ss_problem_asymmetry(p) == 0.0);
    const ss_inclusion *A = ss_problem_inclusion(p);
    ss_inclusion_velocity(A, P, NULL, 0, &gamma);
    assert_true(fabs(gamma - (2 * 1 + 0.125 * 4 - 0.05 * 8 - 1)) < 1e-15);
    ss_inclusion_velocity(A, P, NULL, 2, &gamma);
    assert_true(fabs(gamma - (4 * 4 + 0.125 * 1 - 2)) < 1e-15);
    ss_problem_destroy(p);
}

/* [g 1; 1 2] has the eigenvalues of a positive matrix from g = 1/2 on. */
static void indefinite_contacts_are_found(void **state)
{
    static const struct {
        double g;
        int contact;
    } cases[] = {{3.6e-315, 1}, {0.4, 1}, {-1.0, 1}, {0.5, -1}, {2.0, -1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double W[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, cases[k].g, 1, 0, 0, 1, 2};
        double q[4] = {-1, 0, -1, 0}, mu[2] = {0.3, 0.3};
        ss_problem *p;
        assert_int_equal(ss_problem_from_dense(*state, 2, 2, W, q, mu, &p), SS_OK);
        assert_int_equal(ss_problem_indefinite_contact(p), cases[k].contact);
        ss_problem_destroy(p);
    }
}

static void expect_refusal(ss_context *context, const char *text, const char *words)
{
    ss_problem *p;
    write_text(text);
    assert_int_not_equal(ss_problem_read(context, path, &p), SS_OK);
    assert_null(p);
    if (!strstr(ss_context_message(context), words))
        fail_msg("'%s' does not say '%s'", ss_context_message(context), words);
}

static void says_what_is_wrong(void **state)
{
    expect_refusal(*state, "", ":1:1: the number of rows a contact");
    expect_refusal(*state, "4 1 0\n", "2 and 3 are possible");
    expect_refusal(*state, "2 -1 0\n", "contacts");
    expect_refusal(*state, "2 1 1000000\n0 0 1\n", "that the file can hold");
    expect_refusal(*state, "2 1 1\n0 x 1\n1 1\n1\n", ":2:3: a column of W");
    expect_refusal(*state, "2 1 1\n0 2 1\n1 1\n1\n", "from 0 to 1");
    expect_refusal(*state, "2 1 1\n0 0 1\n1\n", ":4:1: a value of q");
    expect_refusal(*state, "2 1 1\n0 0 1\n1 1\n", "a friction coefficient");
    expect_refusal(*state, "2 1 1\n0 0 1\n1 1\n-1\n", "friction coefficient -1");
    expect_refusal(*state, "2 1 1\n0 0 nan\n1 1\n1\n", "finite");
    expect_refusal(*state, "2 1 1\n0 0 1\n1 1\n1\nmore\n", "end of the file");
    ss_problem *p;
    assert_int_equal(ss_problem_read(*state, "/nowhere/at.all", &p), SS_IO);
    assert_non_null(strstr(ss_context_message(*state), "/nowhere/at.all"));
}

/* A solution goes to a file and back without losing a bit. */
static void keeps_solutions(void **state)
{
    double P[5] = {0, 1.0 / 3, -1e-300, 12345678.9, 2e300}, Q[5];
    assert_int_equal(ss_solution_write(*state, path, 5, P), SS_OK);
    assert_int_equal(ss_solution_read(*state, path, 5, Q), SS_OK);
    assert_memory_equal(P, Q, sizeof P);
    assert_int_equal(ss_solution_read(*state, path, 6, Q), SS_INPUT);
    assert_int_equal(ss_solution_read(*state, path, 4, Q), SS_INPUT);
}

/* One contact, u = P + q, worked out by hand. */
static void measures_one_contact(void **state)
{
    static const struct {
        double q[3], P[3], error;
    } cases[] = {
        {{1, 0, 0}, {0, 0, 0}, 0},     /* open */
        {{-2, 0, 0}, {2, 0, 0}, 0},    /* closed at rest */
        {{-2, .5, 0}, {2, -.5, 0}, 0}, /* sticks */
        {{-2, 5, 0}, {2, -1, 0}, 0},   /* slips: P_T = -μ P_N, μ = ½ */
        {{-2, 0, 0}, {0, 0, 0}, 2},    /* penetrates: the projection of (2, 0, 0) is itself */
        {{1, 0, 0}, {1, 0, 0}, 1},     /* pushes though open: u_N = 2, proj_K(-1, 0, 0) = 0 */
    };
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = .5;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ss_problem *p;
        assert_int_equal(ss_problem_from_dense(*state, 3, 1, W, cases[k].q, &mu, &p), SS_OK);
        ss_cone_residual r = ss_inclusion_cone_residual(ss_problem_inclusion(p), cases[k].P, NULL);
        assert_true(fabs(r.absolute - cases[k].error) < 1e-15);
        ss_problem_destroy(p);
    }
}

/* Impulses whose squares overflow: nothing is small relative to them. */
static void huge_impulses_solve_nothing(void **state)
{
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = .5, q[3] = {-2, 0, 0}, P[3] = {1e200, 0, 0};
    ss_problem *p;
    assert_int_equal(ss_problem_from_dense(*state, 3, 1, W, q, &mu, &p), SS_OK);
    assert_true(ss_inclusion_cone_residual(ss_problem_inclusion(p), P, NULL).relative > 1e-3);
    assert_true(ss_inclusion_residual(ss_problem_inclusion(p), P, NULL).value > 1e-3);
    ss_problem_destroy(p);
}

/* The projection onto K by its definition: no point of K is nearer. The residual of random P and
 * W against it. */
static double brute_force_error(double mu, const double *P, const double *u)
{
    double slip = hypot(u[1], u[2]), a[3] = {P[0] - u[0] - mu * slip, P[1] - u[1], P[2] - u[2]};
    double t = hypot(a[1], a[2]), best = INFINITY, error = 0.0;
    /* The nearest point lies in the half plane of a_T: search its angle-free cone along a fine
     * ray grid. */
    for (int ray = 0; ray <= 2000; ray++) {
        double ratio = mu * (ray / 2000.0); /* ‖p_T‖ / p_N */
        double N = fmax(0.0, (a[0] + ratio * t) / (1 + ratio * ratio));
        double distance = hypot(a[0] - N, t - ratio * N);
        if (distance < best) {
            double p[3] = {N, t > 0 ? ratio * N * a[1] / t : 0, t > 0 ? ratio * N * a[2] / t : 0};
            best = distance;
            error = sqrt((P[0] - p[0]) * (P[0] - p[0]) + (P[1] - p[1]) * (P[1] - p[1]) +
                         (P[2] - p[2]) * (P[2] - p[2]));
        }
    }
    return error;
}

static void measures_random_contacts(void **state)
{
    random_state random = {3};
    for (int k = 0; k < 300; k++) {
        double W[9], q[3], P[3], u[3], mu = random_between(&random, 0, 1.5);
        for (int i = 0; i < 9; i++)
            W[i] = random_between(&random, -1, 1);
        for (int i = 0; i < 3; i++) {
            q[i] = random_between(&random, -1, 1);
            P[i] = random_between(&random, -1, 1);
        }
        for (int i = 0; i < 3; i++)
            u[i] = W[3 * i] * P[0] + W[3 * i + 1] * P[1] + W[3 * i + 2] * P[2] + q[i];
        ss_problem *p;
        assert_int_equal(ss_problem_from_dense(*state, 3, 1, W, q, &mu, &p), SS_OK);
        ss_cone_residual r = ss_inclusion_cone_residual(ss_problem_inclusion(p), P, NULL);
        assert_true(fabs(r.absolute - brute_force_error(mu, P, u)) < 3e-3);
        double size = fmax(hypot(hypot(q[0], q[1]), q[2]),
                           fmax(hypot(hypot(P[0], P[1]), P[2]), hypot(hypot(u[0], u[1]), u[2])));
        assert_true(fabs(r.relative * size - r.absolute) < 1e-14);
        assert_true(fabs(r.to_load * hypot(hypot(q[0], q[1]), q[2]) - r.absolute) < 1e-14);
        ss_problem_destroy(p);
    }
}

static ss_status read_with(counting_allocator *counter)
{
    ss_context_options options = counting_options(counter);
    ss_context *context;
    ss_problem *p;
    SS_TRY(ss_context_create_bare(&options, &context));
    ss_status status = ss_problem_read(context, path, &p);
    ss_problem_destroy(status == SS_OK ? p : NULL);
    ss_context_destroy(context);
    return status;
}

static void survives_failing_memory(void **state)
{
    (void)state;
    write_text(planar);
    for (long allowed = 0;; allowed++) {
        counting_allocator counter = {.allowed = allowed};
        ss_status status = read_with(&counter);
        assert_int_equal(counter.live, 0);
        if (status == SS_OK)
            break;
        assert_int_equal(status, SS_MEMORY);
        assert_true(allowed < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_text, setup, teardown),
        cmocka_unit_test_setup_teardown(symmetrizes, setup, teardown),
        cmocka_unit_test_setup_teardown(huge_impulses_solve_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(indefinite_contacts_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(says_what_is_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(keeps_solutions, setup, teardown),
        cmocka_unit_test_setup_teardown(measures_one_contact, setup, teardown),
        cmocka_unit_test_setup_teardown(measures_random_contacts, setup, teardown),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
