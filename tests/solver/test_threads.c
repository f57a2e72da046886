/* The same bytes with one thread and with several. */
#include "solver/solve.h"

enum { CONTACTS = 3000 };

/* A row of bodies, contact and friction between neighbours; wide enough for a parallel sweep. */
typedef struct chain {
    ss_inclusion inclusion;
    ss_block blocks[2 * CONTACTS];
    int start[2 * CONTACTS + 1];
    ss_factor factors[4 * CONTACTS];
    double W[4 * CONTACTS][2], MinvW[4 * CONTACTS][2];
    double u_free[2 * (CONTACTS + 1)], b[2 * CONTACTS];
} chain;

static chain *make_chain(void)
{
    chain *c = calloc(1, sizeof *c);
    assert_non_null(c);
    random_state random = {99};
    for (int f = 0; f < 4 * CONTACTS; f++) {
        int block = f / 2, body = block / 2 + f % 2;
        double sign = f % 2 ? 1 : -1, mass = 1 + body % 7;
        c->W[f][block % 2] = sign;
        c->MinvW[f][block % 2] = sign / mass;
        c->factors[f] = (ss_factor){2 * body, 2, c->W[f], c->MinvW[f]};
    }
    for (int i = 0; i < 2 * CONTACTS; i++) {
        c->blocks[i] = (ss_block){.set = i % 2 ? ss_set_interval() : ss_set_half_line(),
                                  .offset = i,
                                  .dim = 1,
                                  .scale_from = i % 2 ? i - 1 : -1,
                                  .scale = i % 2 ? .3 : 1};
        c->start[i + 1] = 2 * (i + 1);
    }
    for (int k = 0; k < 2 * (CONTACTS + 1); k++)
        c->u_free[k] = random_between(&random, -1, 1);
    c->inclusion = (ss_inclusion){.n_blocks = 2 * CONTACTS,
                                  .n_rows = 2 * CONTACTS,
                                  .blocks = c->blocks,
                                  .n_u = 2 * (CONTACTS + 1),
                                  .factor_start = c->start,
                                  .factors = c->factors,
                                  .u_free = c->u_free,
                                  .b = c->b};
    return c;
}

typedef struct result {
    double P[2 * CONTACTS], u[2 * (CONTACTS + 1)];
    ss_solve_report report;
} result;

static void solve_with(int threads, const char *name, const ss_inclusion *inclusion, result *R)
{
    ss_context_options options = ss_default_context();
    ss_context *context;
    options.threads = threads;
    assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
    expect_ok(context, ss_register_builtin_solvers(context));
    ss_prox_options prox = ss_default_prox();
    prox.max_iterations = 60;
    prox.r_scale = .5;
    memset(R, 0, sizeof *R);
    R->report = solve(context, name, &prox, inclusion, R->P, R->u);
    ss_context_destroy(context);
}

static void the_number_of_threads_does_not_show(void **state)
{
    (void)state;
    static const char *const names[] = {"jorprox", "sorprox"};
    chain *c = make_chain();
    result *one = malloc(sizeof *one), *many = malloc(sizeof *many);
    assert_true(one && many);
    for (int k = 0; k < 2; k++) {
        solve_with(1, names[k], &c->inclusion, one);
        assert_true(one->report.iterations > 50);
        for (int threads = 2; threads <= 3; threads++) {
            solve_with(threads, names[k], &c->inclusion, many);
            assert_memory_equal(one->P, many->P, sizeof one->P);
            assert_memory_equal(one->u, many->u, sizeof one->u);
            assert_int_equal(one->report.iterations, many->report.iterations);
            assert_true(one->report.residual.value == many->report.residual.value);
        }
    }
    free(one);
    free(many);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_of_threads_does_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
