/* One contact, solved exactly: the laws themselves are checked. */
#include "solver/local.h"
#include "support/random.h"
#include "support/test.h"

/* A symmetric matrix, positive definite for low > 0; an asymmetric trace is added. */
static void random_matrix(random_state *random, int n, double low, double skew, double *G)
{
    double A[9];
    for (int k = 0; k < n * n; k++)
        A[k] = random_between(random, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            G[i * n + j] = (i == j ? low : 0.0) + (i < j ? skew : i > j ? -skew : 0.0);
            for (int k = 0; k < n; k++)
                G[i * n + j] += A[i * n + k] * A[j * n + k];
        }
}

/* 0 <= u_N ⊥ P_N >= 0; stick, or P_T = -μ P_N u_T / ‖u_T‖. */
static void expect_laws(int dim, double mu, const double *G, const double *c, const double *P)
{
    double u[3] = {0}, slip = 0.0, force = 0.0, size = 0.0;
    for (int i = 0; i < dim; i++) {
        u[i] = c[i];
        size += fabs(c[i]);
        for (int j = 0; j < dim; j++) {
            u[i] += G[i * dim + j] * P[j];
            size += fabs(G[i * dim + j] * P[j]);
        }
    }
    double small = 1e-10 * (size + 1.0);
    assert_true(P[0] >= 0.0 && u[0] >= -small && fabs(P[0] * u[0]) <= small * (1.0 + P[0]));
    for (int k = 1; k < dim; k++) {
        slip += u[k] * u[k];
        force += P[k] * P[k];
    }
    slip = sqrt(slip);
    assert_true(sqrt(force) <= mu * P[0] + small);
    for (int k = 1; k < dim && slip > small; k++)
        assert_true(fabs(P[k] * slip + mu * P[0] * u[k]) <= small * (1.0 + slip + P[0]));
}

static void keeps_the_laws_in_space(void **state)
{
    (void)state;
    random_state random = {11};
    int seen[3] = {0};
    for (int k = 0; k < 20000; k++) {
        double G[9], c[3], P[3], mu = k % 10 ? random_between(&random, 0, 1) : 0.0;
        ss_local_contact contact;
        random_matrix(&random, 3, random_log(&random, 1e-6, 1), k % 3 ? 0.0 : 1e-3, G);
        ss_contact_init(G, mu, &contact);
        /* again with other loads: the search begins where the last one ended */
        for (int times = 0; times < 3; times++) {
            for (int i = 0; i < 3; i++)
                c[i] = random_between(&random, -1, 1);
            assert_true(ss_contact_solve3(&contact, c, P));
            expect_laws(3, mu, G, c, P);
            seen[P[0] == 0.0 ? 0 : hypot(P[1], P[2]) < .999999 * mu * P[0] ? 1 : 2]++;
        }
    }
    assert_true(seen[0] > 1000 && seen[1] > 1000 && seen[2] > 1000);
}

static void keeps_the_laws_in_the_plane(void **state)
{
    (void)state;
    random_state random = {12};
    for (int k = 0; k < 20000; k++) {
        double G[4], c[2], P[2], mu = random_between(&random, 0, .8);
        ss_local_contact contact;
        random_matrix(&random, 2, random_log(&random, 1e-6, 1), 0.0, G);
        if (mu * fabs(G[1]) >= G[0])
            continue; /* a wedge: there need not be a solution */
        ss_contact_init(G, mu, &contact);
        for (int i = 0; i < 2; i++)
            c[i] = random_between(&random, -1, 1);
        assert_true(ss_contact_solve2(&contact, c, P));
        expect_laws(2, mu, G, c, P);
    }
}

/* G of rank one and two: a solution is found all the same. */
static void bears_singular_matrices(void **state)
{
    (void)state;
    random_state random = {13};
    for (int k = 0; k < 2000; k++) {
        double G[9], a[3], c[3], P[3];
        for (int i = 0; i < 3; i++) {
            a[i] = random_between(&random, -1, 1);
            c[i] = random_between(&random, -1, 1);
        }
        a[0] += a[0] < 0 ? -1 : 1;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                G[i * 3 + j] = a[i] * a[j] + (k % 2 && i == 1 && j == 1 ? 1.0 : 0.0);
        ss_local_contact contact;
        ss_contact_init(G, .3, &contact);
        if (ss_contact_solve3(&contact, c, P))
            expect_laws(3, .3, G, c, P);
        else
            assert_true(isfinite(P[0]) && isfinite(P[1]) && isfinite(P[2]));
    }
}

/* A contact that nothing moves, pressed together: no solution, and it is said. */
static void says_when_there_is_none(void **state)
{
    (void)state;
    double G3[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {-1, .2, .1}, P[3];
    double wedge[4] = {1, 10, 10, 101}, press[2] = {-1, 1};
    ss_local_contact contact;
    ss_contact_init(G3, .5, &contact);
    assert_false(ss_contact_solve3(&contact, c, P));
    /* P_T = -μ P_N: u_N = -1 + (1 - 10 μ) P_N < 0 always; stick and the other slip do not fit */
    ss_contact_init(wedge, .2, &contact);
    double u_stick = press[1];
    assert_true(u_stick > 0.0);
    ss_contact_solve2(&contact, press, P);
    assert_true(isfinite(P[0]) && isfinite(P[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_laws_in_space),
        cmocka_unit_test(keeps_the_laws_in_the_plane),
        cmocka_unit_test(bears_singular_matrices),
        cmocka_unit_test(says_when_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
