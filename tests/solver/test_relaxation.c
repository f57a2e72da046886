/* Every choice of r against its formula: one Jacobi step from zero on free blocks gives P = -r
 * c. */
#include "solver/solve.h"

/* r of each row, read off one step. */
static void read_r(ss_context *context, const ss_prox_options *options,
                   const ss_inclusion *inclusion, const double *c, double *r)
{
    ss_prox_options o = *options;
    double P[BUILD_ROWS] = {0}, u[BUILD_U];
    solve_trace *trace = calloc(1, sizeof *trace);
    assert_non_null(trace);
    o.max_iterations = 1;
    solve_traced(context, "jorprox", &o, inclusion, trace, P, u);
    for (int k = 0; k < inclusion->n_rows; k++)
        r[k] = -trace->P[1][k] / c[k];
    free(trace);
}

static build *problem(uint64_t seed)
{
    static const int dims[] = {1, 2, 3, 1};
    random_state random = {seed};
    build *p = build_create();
    double Minv[BUILD_NU * BUILD_NU];
    for (int s = 0; s < 3; s++) {
        build_random_Minv(&random, 3 + s, .1, Minv);
        build_add_system(p, 3 + s, Minv);
    }
    for (int i = 0; i < 4; i++) {
        build_add_block(p, ss_set_free(dims[i]), 1, -1);
        build_random_factor(&random, p, i % 3);
        if (i > 1)
            build_random_factor(&random, p, (i + 1) % 3);
    }
    build_random_load(&random, p);
    return p;
}

/* The formulas, from the dense G. */
static double formula(const build *p, const double *G, int i, ss_r_choice choice)
{
    int m = p->inclusion.n_rows, first = p->blocks[i].offset, dim = p->blocks[i].dim;
    double diagonal = 0, row_sum = 0, mean = 0;
    for (int h = first; h < first + dim; h++) {
        double sum = 0;
        for (int k = 0; k < m; k++)
            sum += fabs(G[h * m + k]);
        diagonal = fmax(diagonal, G[h * m + h]);
        row_sum = fmax(row_sum, sum);
        mean += G[h * m + h] / dim;
    }
    return 1 / (choice == SS_R_DIAGONAL ? diagonal : choice == SS_R_ROW_SUM ? row_sum : mean);
}

static void local_choices(void **state)
{
    static const ss_r_choice choices[] = {SS_R_DIAGONAL, SS_R_ROW_SUM, SS_R_MEAN};
    ss_context *context = *state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (int k = 0; k < 6; k++) {
            build *p = problem(seed);
            int m = p->inclusion.n_rows;
            double G[64], c[8], r[8];
            assert_true(m <= 8);
            build_dense(p, G, c);
            ss_prox_options options = ss_default_prox();
            options.r = choices[k % 3];
            options.relaxation = .7;
            options.r_scale = .5;
            ss_inclusion *A;
            expect_ok(context, ss_inclusion_assemble(context, &p->inclusion, &A));
            read_r(context, &options, k < 3 ? &p->inclusion : A, c, r);
            for (int i = 0; i < p->inclusion.n_blocks; i++)
                for (int h = 0; h < p->blocks[i].dim; h++) {
                    double expected = .7 * .5 * formula(p, G, i, options.r);
                    expect_near(r[p->blocks[i].offset + h], expected, 1e-12 * expected);
                }
            ss_inclusion_destroy(A);
            free(p);
        }
}

/* G = [[4, 1], [1, 2]] on two velocities: eigenvalues 3 ± √2, one r for all. */
static void spectral_choice(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_system(p, 2, (double[]){4, 1, 1, 2});
    build_add_block(p, ss_set_free(1), 1, -1);
    build_add_factor(p, 0, (double[]){1, 0});
    build_add_block(p, ss_set_free(1), 1, -1);
    build_add_factor(p, 0, (double[]){0, 1});
    p->b[0] = 1;
    p->b[1] = -2;
    ss_prox_options options = ss_default_prox();
    options.r = SS_R_SPECTRAL;
    double r[2];
    read_r(context, &options, &p->inclusion, p->b, r);
    expect_near(r[0], 2. / 6, 1e-14);
    expect_near(r[1], 2. / 6, 1e-14);
    ss_inclusion *A;
    expect_ok(context, ss_inclusion_assemble(context, &p->inclusion, &A));
    read_r(context, &options, A, p->b, r);
    expect_near(r[1], 2. / 6, 1e-14);
    ss_inclusion_destroy(A);
    free(p);
}

/* n bodies of mass 1 on n stops, the k-th gripped with the lever w_k: G = diag(w_k²). */
typedef struct levers {
    ss_inclusion inclusion;
    ss_block *blocks;
    int *start;
    ss_factor *factors;
    double *W, *u_free, *b;
} levers;

static levers make_levers(int n)
{
    static const double trace = 1e-30; /* of a system that makes one island of all */
    size_t size = (size_t)n;
    levers L = {.blocks = calloc(size, sizeof(ss_block)),
                .start = calloc(size + 1, sizeof(int)),
                .factors = calloc(2 * size, sizeof(ss_factor)),
                .W = calloc(size, sizeof(double)),
                .u_free = calloc(size + 1, sizeof(double)),
                .b = calloc(size, sizeof(double))};
    for (int k = 0; k < n; k++) {
        L.W[k] = 1 + 2. * k / (n - 1); /* 1 … 3 */
        L.factors[2 * k] = (ss_factor){k, 1, &L.W[k], &L.W[k]};
        L.factors[2 * k + 1] = (ss_factor){n, 1, &trace, &trace};
        L.blocks[k] =
            (ss_block){.set = ss_set_free(1), .offset = k, .dim = 1, .scale_from = -1, .scale = 1};
        L.start[k + 1] = 2 * k + 2;
        L.b[k] = 1;
    }
    L.inclusion = (ss_inclusion){.n_blocks = n,
                                 .n_rows = n,
                                 .blocks = L.blocks,
                                 .n_u = n + 1,
                                 .factor_start = L.start,
                                 .factors = L.factors,
                                 .u_free = L.u_free,
                                 .b = L.b};
    return L;
}

static void free_levers(levers *L)
{
    free(L->blocks);
    free(L->start);
    free(L->factors);
    free(L->W);
    free(L->u_free);
    free(L->b);
}

/* Dense below 192 rows, estimated above: eigenvalues 1 and 9. */
static void spectral_choice_of_many_rows(void **state)
{
    ss_context *context = *state;
    for (int n = 150; n <= 1500; n *= 10) {
        levers L = make_levers(n);
        ss_prox_options options = ss_default_prox();
        options.r = SS_R_SPECTRAL;
        options.max_iterations = 1;
        double *P = calloc((size_t)n, sizeof *P), *u = calloc((size_t)n + 1, sizeof *u);
        assert_true(P && u);
        solve(context, "jorprox", &options, &L.inclusion, P, u);
        expect_near(-P[7], 2. / 10, n == 150 ? 1e-13 : .02 * .2);
        free(P);
        free(u);
        free_levers(&L);
    }
}

static void a_block_may_have_its_own(void **state)
{
    ss_context *context = *state;
    build *p = problem(5);
    double G[64], c[8], r[8];
    build_dense(p, G, c);
    p->blocks[1].r = .125;
    ss_prox_options options = ss_default_prox();
    options.relaxation = .5;
    read_r(context, &options, &p->inclusion, c, r);
    expect_near(r[1], .125, 1e-15); /* taken as it is */
    expect_near(r[2], .125, 1e-15);
    expect_near(r[0], .5 / G[0], 1e-12);
    free(p);
}

/* Nothing is divided by G_hh = 0; the block takes the smallest r of its island, or 1. A block whose friction belongs to another
 * is in its island. */
static void a_block_that_moves_nothing(void **state)
{
    ss_context *context = *state;
    for (int choice = 0; choice < 4; choice++) {
        build *p = build_create();
        build_add_system(p, 2, (double[]){1. / 8, 0, 0, 1. / 2});
        for (int s = 0; s < 2; s++) {
            build_add_block(p, ss_set_free(1), 1, -1);
            build_add_factor(p, 0, s ? (double[]){0, 1} : (double[]){1, 0});
        }
        build_add_block(p, ss_set_interval(), 10, 0);
        double c[3] = {1, 1, 1}, r[3], P[3] = {1, 0, 0}, u[2];
        memcpy(p->b, c, sizeof c);
        ss_prox_options options = ss_default_prox();
        options.r = (ss_r_choice)choice;
        options.max_iterations = 1;
        solve_trace *trace = calloc(1, sizeof *trace);
        assert_non_null(trace);
        solve_traced(context, "jorprox", &options, &p->inclusion, trace, P, u);
        /* spectral: 2 / (1/2 + 0), one for all */
        expect_near(-trace->P[1][2], choice == SS_R_SPECTRAL ? 4 : 2, 1e-13);
        free(trace);
        p->blocks[2].set = ss_set_free(1);
        p->blocks[2].scale_from = -1;
        p->factor_start[1] = p->factor_start[2] = p->factor_start[3] = 0;
        read_r(context, &options, &p->inclusion, c, r);
        expect_near(r[0], 1, 1e-13);
        free(p);
    }
}

/* With all but one velocity of a block immovable G_ii is singular, and nothing special. */
static void a_singular_block(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_system(p, 2, (double[]){2, 0, 0, 0});
    build_add_block(p, ss_set_disk(2), 1, -1);
    build_add_factor(p, 0, (double[]){1, 0, 0, 1});
    p->u_free[0] = .5;
    ss_prox_options options = ss_default_prox();
    double P[2] = {0}, u[2];
    ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, P, u);
    assert_int_equal(report.outcome, SS_CONVERGED);
    expect_near(P[0], -.25, 1e-12);
    expect_near(P[1], 0, 1e-12);
    expect_near(u[0], 0, 1e-12);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_choices),
        cmocka_unit_test(spectral_choice),
        cmocka_unit_test(spectral_choice_of_many_rows),
        cmocka_unit_test(a_block_may_have_its_own),
        cmocka_unit_test(a_block_that_moves_nothing),
        cmocka_unit_test(a_singular_block),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
