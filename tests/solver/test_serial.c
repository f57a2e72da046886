/* test_serial.c: sets of serial types are asked by one thread only. */
#include "base/context.h"
#include "base/parallel.h"
#include "support/test.h"

#include <stickslip/solver.h>

#include <stdlib.h>

enum { BLOCKS = 4000 };

/* |x| <= s; the largest team that asked for a projection is kept in `widest`. */
typedef struct watched {
    atomic_int *widest;
} watched;

static void prox(const void *opaque, int dim, double scale, const double *x, double *y)
{
    const watched *self = opaque;
    int team = ss_thread_count();
    (void)dim;
    int before = atomic_load(self->widest);
    while (team > before && !atomic_compare_exchange_weak(self->widest, &before, team)) {
    }
    y[0] = x[0] > scale ? scale : x[0] < -scale ? -scale : x[0];
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    (void)self, (void)dim;
    return x[0] <= scale + tolerance && x[0] >= -scale - tolerance;
}

static double support(const void *self, int dim, double scale, const double *v)
{
    (void)self, (void)dim;
    return v[0] > 0 ? scale * v[0] : -scale * v[0];
}

static int widest_team(unsigned flags)
{
    atomic_int widest = 0;
    const ss_set_ops ops = {
        .type = {.abi = SS_ABI,
                 .size = sizeof ops,
                 .name = "watched",
                 .doc = "Counts threads.",
                 .self_size = sizeof(watched),
                 .flags = flags,
                 .user = &widest,
                 .user_offset = offsetof(watched, widest)},
        .prox = prox,
        .contains = contains,
        .support = support,
    };
    ss_context_options options = ss_default_context();
    ss_context *context;
    ss_set *set;
    ss_solver *solver;
    options.threads = 2;
    assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
    assert_int_equal(ss_register_builtin_solvers(context), SS_OK);
    assert_int_equal(ss_register_set(context, &ops), SS_OK);
    assert_int_equal(ss_set_create(context, "watched", NULL, NULL, 1, &set), SS_OK);
    assert_int_equal(ss_solver_create(context, "jorprox", NULL, NULL, &solver), SS_OK);
    ss_block *blocks = calloc(BLOCKS, sizeof *blocks);
    ss_entry *entries = calloc(2 * BLOCKS, sizeof *entries);
    int *start = calloc(BLOCKS + 1, sizeof *start);
    double *c = calloc(BLOCKS, sizeof *c), *P = calloc(BLOCKS, sizeof *P);
    const double one = 1, trace = 1e-30; /* so that all are one island */
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = (ss_block){.set = set, .offset = i, .dim = 1, .scale_from = -1, .scale = 1};
        start[i + 1] = start[i];
        if (i > 0)
            entries[start[i + 1]++] = (ss_entry){i - 1, &trace};
        entries[start[i + 1]++] = (ss_entry){i, &one};
        c[i] = i % 2 ? 0.5 : -3;
    }
    ss_inclusion inclusion = {.n_blocks = BLOCKS,
                              .n_rows = BLOCKS,
                              .blocks = blocks,
                              .entry_start = start,
                              .entries = entries,
                              .c = c};
    ss_solve_report report;
    assert_int_equal(ss_solver_solve(solver, &inclusion, P, NULL, &report), SS_OK);
    assert_int_equal(report.outcome, SS_CONVERGED);
    assert_true(P[0] == 1 && P[1] == -0.5); /* -(P + c) ∈ N(P) */
    free(blocks), free(entries), free(start), free(c), free(P);
    ss_solver_destroy(solver);
    ss_set_destroy(set);
    ss_context_destroy(context);
    return widest;
}

static void one_thread_asks(void **state)
{
    (void)state;
    assert_int_equal(widest_team(0), 2);
    assert_int_equal(widest_team(SS_TYPE_SERIAL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_thread_asks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
