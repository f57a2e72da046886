/* A block on a surface (S4.2.7.2): G is singular, the forces are not unique, the motion is. */
#include "solver/solve.h"

static const double m = 2.1, J = .018, l = .15, h = .05;
static const double weight = 20.601, mu = .5;

typedef struct load {
    double F_x, M;
} load;
static const load stick = {3, 0}, slip = {18, 0}, one_open = {0, 4};

/* Contacts 0 and 1; friction 2 and 3 bounded by µ times their impulses. */
static build *block_on_surface(load F)
{
    build *p = build_create();
    build_add_system(p, 3, (double[]){1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / J});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){0, 1, -l});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){0, 1, l});
    build_add_block(p, ss_set_interval(), mu, 0);
    build_add_factor(p, 0, (double[]){1, 0, h});
    build_add_block(p, ss_set_interval(), mu, 1);
    build_add_factor(p, 0, (double[]){1, 0, h});
    p->u_free[0] = F.F_x / m;
    p->u_free[1] = -weight / m;
    p->u_free[2] = F.M / J;
    return p;
}

static void matrix(void **state)
{
    (void)state;
    static const double printed[16] = {1.8, -.8, -.4, -.4, -.8, 1.8, .4, .4,
                                       -.4, .4,  .6,  .6,  -.4, .4,  .6, .6};
    build *p = block_on_surface(stick);
    double G[16], c[4];
    build_dense(p, G, c);
    for (int k = 0; k < 16; k++)
        expect_near(G[k], printed[k], .08); /* 1.73 is printed as 1.8 */
    free(p);
}

/* Accelerations, and what is unique of the forces. */
typedef struct solution {
    double u[3], N[2], T;
} solution;

static solution stick_solution(void)
{
    /* ℓ (N_2 - N_1) + h T + M = 0, N_1 + N_2 = weight, T = -F_x */
    double T = -stick.F_x, difference = -(h * T + stick.M) / l;
    return (solution){{0, 0, 0}, {(weight - difference) / 2, (weight + difference) / 2}, T};
}

static solution slip_solution(void)
{
    double T = -mu * weight, difference = -(h * T + slip.M) / l;
    return (solution){
        {(slip.F_x + T) / m, 0, 0}, {(weight - difference) / 2, (weight + difference) / 2}, T};
}

static solution open_solution(void)
{
    /* Contact 1 is open; contact 0 is closed and sticks: two equations for N and T. */
    double G11 = 1 / m + l * l / J, G12 = -l * h / J, G22 = 1 / m + h * h / J;
    double c1 = -weight / m - l * one_open.M / J, c2 = one_open.F_x / m + h * one_open.M / J;
    double det = G11 * G22 - G12 * G12;
    double N = (-c1 * G22 + c2 * G12) / det, T = (-c2 * G11 + c1 * G12) / det;
    return (solution){
        {(one_open.F_x + T) / m, (N - weight) / m, (one_open.M - l * N + h * T) / J}, {N, 0}, T};
}

static void check_solution(const solution *expected, const double *P, const double *u)
{
    for (int k = 0; k < 3; k++)
        expect_near(u[k], expected->u[k], 1e-8);
    expect_near(P[0], expected->N[0], 1e-7);
    expect_near(P[1], expected->N[1], 1e-7);
    expect_near(P[2] + P[3], expected->T, 1e-7);
}

static void three_loads_from_many_first_guesses(void **state)
{
    ss_context *context = *state;
    const load cases[3] = {stick, slip, one_open};
    const solution expected[3] = {stick_solution(), slip_solution(), open_solution()};
    assert_true(fabs(expected[2].T) < mu * expected[2].N[0]);  /* sticks */
    assert_true(expected[2].u[1] + l * expected[2].u[2] > 0);  /* opens */
    assert_true(expected[1].N[0] > 0 && expected[1].N[1] > 0); /* stay closed */
    ss_prox_options options = ss_default_prox();
    options.tolerance = 1e-12;
    random_state random = {42};
    double spread = 0, first = 0;
    for (int k = 0; k < 3; k++)
        for (int guess = 0; guess < 20; guess++) {
            build *p = block_on_surface(cases[k]);
            double P[4], u[3];
            for (int i = 0; i < 4; i++)
                P[i] = guess ? random_between(&random, -20, 20) : 0;
            ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, P, u);
            assert_int_equal(report.outcome, SS_CONVERGED);
            check_solution(&expected[k], P, u);
            if (k == 0 && guess == 0)
                first = P[2];
            if (k == 0)
                spread = fmax(spread, fabs(P[2] - first));
            free(p);
        }
    assert_true(
        spread <
        1e-9); /* the two friction forces are not unique: the choice does not depend on the guess */
}

/* The same with the friction of each contact behind its normal block, so that no solver
 * refuses it: rows N_0, T_0, N_1, T_1. */
static build *contact_by_contact(load F)
{
    build *p = build_create(), *given = block_on_surface(F);
    build_add_system(p, 3, given->systems[0].Minv);
    memcpy(p->u_free, given->u_free, sizeof p->u_free);
    for (int k = 0; k < 2; k++) {
        build_add_block(p, ss_set_half_line(), 1, -1);
        build_add_factor(p, 0, given->W[k]);
        build_add_block(p, ss_set_interval(), mu, 2 * k);
        build_add_factor(p, 0, given->W[2 + k]);
    }
    free(given);
    return p;
}

static void every_solver_finds_the_motion(void **state)
{
    ss_context *context = *state;
    const load cases[3] = {stick, slip, one_open};
    const solution expected[3] = {stick_solution(), slip_solution(), open_solution()};
    const ss_type *type;
    int solvers = 0;
    for (size_t n = 0; (type = ss_type_at(context, SS_TYPE_SOLVER, n)); n++)
        for (int k = 0; k < 3; k++) {
            build *p = contact_by_contact(cases[k]);
            double P[4], u[3];
            ss_solve_report report;
            bool accepted = solve_by_name(context, type->name, 1e-11, &p->inclusion, P, u, &report);
            assert_true(accepted != (strcmp(type->name, "gamma") == 0)); /* wants a regular G */
            if (!accepted) {
                free(p);
                continue;
            }
            if (report.outcome != SS_CONVERGED)
                fail_msg("%s, load %d: %s, residual %g", type->name, k,
                         ss_outcome_name(report.outcome), report.residual.value);
            check_solution(&expected[k], (double[]){P[0], P[2], P[1], P[3]}, u);
            solvers += k == 0;
            free(p);
        }
    assert_true(solvers >= 15);
}

/* Sweeps that a method needs from zero, or -1. */
static int sweeps(ss_context *context, const char *name, load F, double omega)
{
    ss_prox_options options = ss_default_prox();
    options.relaxation = omega;
    options.tolerance = 1e-8;
    options.max_iterations = 3000;
    build *p = block_on_surface(F);
    double P[4] = {0}, u[3];
    ss_solve_report report = solve(context, name, &options, &p->inclusion, P, u);
    free(p);
    return report.outcome == SS_CONVERGED ? report.iterations : -1;
}

/* Fig. 4.12: over ω in (0, 2). */
static void sorprox_needs_fewer_sweeps_than_jorprox(void **state)
{
    ss_context *context = *state;
    const load cases[3] = {stick, slip, one_open};
    for (int k = 0; k < 3; k++) {
        int least_sor = 3000, least_jor = 3000, sor_converged = 0, jor_converged = 0;
        for (int step = 1; step < 20; step++) {
            int sor = sweeps(context, "sorprox", cases[k], .1 * step);
            int jor = sweeps(context, "jorprox", cases[k], .1 * step);
            sor_converged += sor > 0;
            jor_converged += jor > 0;
            if (jor > 0)
                assert_true(sor > 0 && sor <= jor);
            if (sor > 0 && sor < least_sor)
                least_sor = sor;
            if (jor > 0 && jor < least_jor)
                least_jor = jor;
        }
        assert_true(least_sor < least_jor);
        assert_true(sor_converged > jor_converged);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix),
        cmocka_unit_test(three_loads_from_many_first_guesses),
        cmocka_unit_test(every_solver_finds_the_motion),
        cmocka_unit_test(sorprox_needs_fewer_sweeps_than_jorprox),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
