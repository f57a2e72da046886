/* The residual by hand, its invariance, its floor, and the modes. */
#include "base/context.h"
#include "rows/residual.h"
#include "support/build.h"
#include "support/test.h"

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

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fabs(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

/* A mass m above a floor with the velocity -v. */
static build *mass_on_floor(double m, double v)
{
    build *p = build_create();
    build_add_system(p, 1, (double[]){1 / m});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){1});
    p->u_free[0] = -v;
    return p;
}

static ss_residual residual_at(const build *p, const double *P)
{
    double u[BUILD_U];
    ss_inclusion_free_motion(&p->inclusion, P, u);
    return ss_inclusion_residual(&p->inclusion, P, u);
}

static void one_mass_by_hand(void **state)
{
    (void)state;
    double m = 4, v = .5, d = 1e-3;
    build *p = mass_on_floor(m, v);
    ss_residual none = residual_at(p, (double[]){0});
    near(none.absolute, sqrt(m) * v);
    near(none.reference, sqrt(m) * v);
    near(none.value, 1);
    assert_true(residual_at(p, (double[]){m * v}).value == 0);
    ss_residual off = residual_at(p, (double[]){m * v * (1 + d)});
    near(off.absolute, sqrt(m) * v * d);
    near(off.value, d / (1 + d));
    p->u_free[0] = v; /* opens */
    assert_true(residual_at(p, (double[]){0}).value == 0);
    assert_int_equal(residual_at(p, (double[]){0}).worst_block, 0);
    free(p);
}

/* Normal force 2 and no motion: the disk has radius 1, whatever the friction's own impulse
 * was. */
static void friction_is_measured_with_the_present_normal_impulse(void **state)
{
    (void)state;
    build *p = build_create();
    build_add_system(p, 3, (double[]){1, 0, 0, 0, 1, 0, 0, 0, .25});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){0, 0, 1});
    build_add_block(p, ss_set_disk(2), .5, 0);
    build_add_factor(p, 0, (double[]){1, 0, 0, 0, 1, 0});
    double P[] = {2, 1.8, 2.4}, u[] = {0, 0, 0};
    ss_residual residual = ss_inclusion_residual(&p->inclusion, P, u);
    near(residual.absolute, 2); /* |(1.8, 2.4)| = 3, r = 1 */
    assert_int_equal(residual.worst_block, 1);
    P[0] = 6;
    assert_true(ss_inclusion_residual(&p->inclusion, P, u).value == 0);
    P[0] = -6; /* |P| scales the disk; the contact itself is what is wrong: 6 / √4 */
    residual = ss_inclusion_residual(&p->inclusion, P, u);
    near(residual.absolute, 3);
    assert_int_equal(residual.worst_block, 0);
    free(p);
}

static build *random_problem(uint64_t seed)
{
    random_state random = {seed};
    build *p = build_create();
    double Minv[BUILD_NU * BUILD_NU];
    for (int s = 0; s < 4; s++) {
        build_random_Minv(&random, 3, .1, Minv);
        build_add_system(p, 3, Minv);
    }
    for (int i = 0; i < 8; i += 2) {
        build_add_block(p, ss_set_half_line(), 1, -1);
        build_random_factor(&random, p, i / 2);
        build_random_factor(&random, p, (i / 2 + 1) % 4);
        build_add_block(p, ss_set_disk(2), .4, i);
        build_random_factor(&random, p, i / 2);
    }
    build_random_load(&random, p);
    return p;
}

static void random_P(uint64_t seed, int n, double *P)
{
    random_state random = {seed};
    for (int k = 0; k < n; k++)
        P[k] = random_between(&random, -1, 1);
}

/* Scales: masses by m, velocities by v, the unit of length of the friction rows by w. */
static void scale(build *p, double m, double v, double w, double *P)
{
    for (int i = 0; i < p->inclusion.n_blocks; i++) {
        double row = p->blocks[i].dim == 2 ? w : 1;
        for (int f = p->factor_start[i]; f < p->factor_start[i + 1]; f++)
            for (int k = 0; k < 3 * p->blocks[i].dim; k++) {
                p->W[f][k] *= row;
                p->MinvW[f][k] *= row / m;
            }
        for (int k = 0; k < p->blocks[i].dim; k++) {
            p->b[p->blocks[i].offset + k] *= row * v;
            P[p->blocks[i].offset + k] *= m * v / row;
        }
        if (p->blocks[i].dim == 2)
            p->blocks[i].scale /= row;
    }
    for (int k = 0; k < p->inclusion.n_u; k++)
        p->u_free[k] *= v;
}

static void units_do_not_matter(void **state)
{
    (void)state;
    static const double scales[][3] = {
        {1e6, 1, 1}, {1e-6, 1, 1}, {1, 1e5, 1}, {1, 1, 1e4}, {3e-5, 7e3, 1e-3}};
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (int s = 0; s < 5; s++) {
            build *p = random_problem(seed);
            double P[BUILD_ROWS];
            random_P(seed, p->inclusion.n_rows, P);
            ss_residual before = residual_at(p, P);
            scale(p, scales[s][0], scales[s][1], scales[s][2], P);
            ss_residual after = residual_at(p, P);
            near(after.value, before.value);
            assert_int_equal(after.worst_block, before.worst_block);
            near(after.absolute, before.absolute * sqrt(scales[s][0]) * scales[s][1]);
            free(p);
        }
}

static void both_forms_and_known_r_agree(void **state)
{
    ss_context *context = *state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        build *p = random_problem(seed);
        double P[BUILD_ROWS], u[BUILD_U], r[BUILD_BLOCKS];
        random_P(seed, p->inclusion.n_rows, P);
        ss_residual factored = residual_at(p, P);
        ss_inclusion *A;
        assert_int_equal(ss_inclusion_assemble(context, &p->inclusion, &A), SS_OK);
        ss_residual assembled = ss_inclusion_residual(A, P, NULL);
        ss_inclusion_natural_r(&p->inclusion, r);
        ss_inclusion_free_motion(&p->inclusion, P, u);
        ss_load load = ss_inclusion_load(&p->inclusion, r);
        ss_residual given = ss_inclusion_residual_given(&p->inclusion, r, &load, P, u);
        near(assembled.value, factored.value);
        assert_int_equal(assembled.worst_block, factored.worst_block);
        assert_true(given.value == factored.value && given.absolute == factored.absolute);
        assert_int_equal(given.worst_block, factored.worst_block);
        ss_inclusion_destroy(A);
        free(p);
    }
}

static void the_worst_block_is_named(void **state)
{
    (void)state;
    build *p = build_create();
    for (int s = 0; s < 3; s++) {
        build_add_system(p, 1, (double[]){1});
        build_add_block(p, ss_set_free(1), 1, -1);
        build_add_factor(p, s, (double[]){1});
        p->u_free[s] = -1;
    }
    for (int s = 0; s < 3; s++) {
        double P[3] = {1.01, 1.01, 1.01};
        P[s] = 1.1;
        assert_int_equal(residual_at(p, P).worst_block, s);
        near(residual_at(p, P).value, .1 / 1.1);
    }
    free(p);
    build *empty = build_create();
    assert_int_equal(residual_at(empty, NULL).worst_block, -1);
    assert_true(residual_at(empty, NULL).value == 0);
    free(empty);
}

/* A body that moves with a belt: γ is the difference of two equal large numbers. */
static void rounding_is_no_error(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_system(p, 1, (double[]){.5});
    build_add_block(p, ss_set_interval(), 1, -1);
    build_add_factor(p, 0, (double[]){1});
    double big = 1000.1, P[] = {0};
    p->u_free[0] = big;
    p->b[0] = -big * (1 + 4e-16);
    assert_true(p->u_free[0] + p->b[0] != 0);
    assert_true(residual_at(p, P).value == 0);
    p->b[0] = -big * (1 + 1e-12); /* r γ beside the bound 1 */
    double value = 2 * big * 1e-12;
    assert_true(fabs(residual_at(p, P).value - value) < 1e-3 * value);
    /* The same for large impulses that cancel in an assembled inclusion. */
    ss_inclusion *A;
    ss_block blocks[2] = {p->blocks[0], p->blocks[0]};
    blocks[0].set = blocks[1].set = ss_set_free(1);
    blocks[1].offset = 1;
    double G[] = {1, 1, 1, 1}, c[] = {0, 0};
    assert_int_equal(ss_inclusion_from_dense(context, 2, blocks, G, c, &A), SS_OK);
    assert_true(ss_inclusion_residual(A, (double[]){big, -big * (1 + 4e-16)}, NULL).value == 0);
    assert_true(ss_inclusion_residual(A, (double[]){big, -big * (1 + 1e-12)}, NULL).value > 0);
    ss_inclusion_destroy(A);
    free(p);
}

/* Block 0 acts on a mass of 9 (r = 9), block 1 on a mass of 4 (r = 4), block 2 on nothing (r =
 * 4). */
static void a_block_that_moves_nothing(void **state)
{
    (void)state;
    build *p = build_create();
    build_add_system(p, 1, (double[]){1. / 9});
    build_add_system(p, 1, (double[]){1. / 4});
    for (int s = 0; s < 2; s++) {
        build_add_block(p, ss_set_half_line(), 1, -1);
        build_add_factor(p, s, (double[]){1});
    }
    build_add_block(p, ss_set_half_line(), 1, -1);
    p->b[2] = 3;
    double P[] = {0, 0, 0}, r[3];
    assert_true(residual_at(p, P).value == 0);
    p->b[2] = -3; /* no impulse can help */
    near(residual_at(p, P).absolute, 2 * 3);
    assert_int_equal(residual_at(p, P).worst_block, 2);
    ss_inclusion_natural_r(&p->inclusion, r);
    near(r[0], 9);
    near(r[1], 4);
    near(r[2], 4);
    p->factor_start[1] = p->factor_start[2] = p->factor_start[3] = 0; /* nobody moves anything */
    near(residual_at(p, P).absolute, 3);
    free(p);
}

static void what_is_not_finite_is_never_small(void **state)
{
    (void)state;
    build *p = mass_on_floor(1, 1);
    double bad[] = {NAN, INFINITY, -INFINITY}, zero = 0;
    for (int k = 0; k < 3; k++) {
        assert_true(ss_inclusion_residual(&p->inclusion, &bad[k], &zero).value == INFINITY);
        assert_true(ss_inclusion_residual(&p->inclusion, &zero, &bad[k]).value == INFINITY);
    }
    free(p);
}

static void a_set_without_zero(void **state)
{
    ss_context *context = *state;
    ss_args *args;
    ss_set *set;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_real(args, "lower", 1), SS_OK);
    assert_int_equal(ss_args_set_real(args, "upper", 2), SS_OK);
    assert_int_equal(ss_set_create(context, "interval", args, NULL, 1, &set), SS_OK);
    build *p = mass_on_floor(1, 0);
    p->blocks[0].set = set;
    assert_true(residual_at(p, (double[]){0}).value == 1); /* beside the least impulse, 1 */
    assert_true(residual_at(p, (double[]){1}).value == 0);
    free(p);
    ss_set_destroy(set);
    ss_args_destroy(args);
}

/* Two half lines that face each other, with G = [1 -1; -1 1]: impulses along (1, 1) move nothing, and closing of 1 m/s remains. In
 * double precision P = 5e17 makes it vanish; that is no solution. */
static void impulses_that_run_away_hide_nothing(void **state)
{
    ss_context *context = *state;
    ss_inclusion *A;
    ss_block blocks[2] = {
        {.set = ss_set_half_line(), .dim = 1, .scale_from = -1, .scale = 1},
        {.set = ss_set_half_line(), .offset = 1, .dim = 1, .scale_from = -1, .scale = 1}};
    double G[] = {1, -1, -1, 1}, c[] = {-1, -1};
    assert_int_equal(ss_inclusion_from_dense(context, 2, blocks, G, c, &A), SS_OK);
    for (double P = 1; P < 1e20; P *= 10)
        assert_true(ss_inclusion_residual(A, (double[]){P, P}, NULL).value >= 0.01);
    assert_true(ss_inclusion_residual(A, (double[]){5e17, 5e17}, NULL).value >= 1);
    ss_inclusion_destroy(A);
}

/* 1 kg that rests on 1e6 kg: an error of a hundredth of its weight is one part in 1e5 of the load in √J, and not small. */
static void light_contacts_count_beside_heavy_ones(void **state)
{
    (void)state;
    build *p = build_create();
    double m[2] = {1e6, 1}, v = 9.81e-3;
    for (int k = 0; k < 2; k++)
        build_add_system(p, 1, (double[]){1 / m[k]});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){1});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){-1});
    build_add_factor(p, 1, (double[]){1});
    p->u_free[0] = p->u_free[1] = -v;
    double P[2] = {(m[0] + m[1]) * v, m[1] * v};
    assert_true(residual_at(p, P).value < 1e-14);
    P[1] *= 1.01;
    P[0] += 0.01 * m[1] * v;
    assert_true(residual_at(p, P).value > 5e-4);
    free(p);
}

/* Contact pressed with 10; friction coefficient .5 */
static void modes(void **state)
{
    (void)state;
    build *p = build_create();
    build_add_system(p, 2, (double[]){1, 0, 0, 1});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){0, 1});
    build_add_block(p, ss_set_interval(), .5, 0);
    build_add_factor(p, 0, (double[]){1, 0});
    ss_mode mode[2];
    double u[2];
    struct {
        double u_x, u_y, P_N, P_T;
        ss_mode N, T;
    } cases[] = {
        {3, -10, 10, -3, SS_MODE_CONSTRAINT, SS_MODE_CONSTRAINT}, /* sticks */
        {8, -10, 10, -5, SS_MODE_CONSTRAINT, SS_MODE_IMPRESSED},  /* slides */
        {3, 1, 0, 0, SS_MODE_IMPRESSED, SS_MODE_IMPRESSED},       /* opens */
        {0, 0, 0, 0, SS_MODE_CONSTRAINT, SS_MODE_CONSTRAINT},     /* contacts */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double P[] = {cases[k].P_N, cases[k].P_T};
        p->u_free[0] = cases[k].u_x;
        p->u_free[1] = cases[k].u_y;
        ss_inclusion_free_motion(&p->inclusion, P, u);
        assert_true(ss_inclusion_residual(&p->inclusion, P, u).value == 0);
        ss_inclusion_modes(&p->inclusion, P, u, 1e-9, mode);
        assert_int_equal(mode[0], cases[k].N);
        assert_int_equal(mode[1], cases[k].T);
    }
    double P[] = {10, -5}; /* on the edge, sliding with 1e-6 of the reference */
    p->u_free[0] = 5 + 1e-5;
    p->u_free[1] = -10;
    ss_inclusion_free_motion(&p->inclusion, P, u);
    ss_inclusion_modes(&p->inclusion, P, u, 1e-7, mode);
    assert_int_equal(mode[1], SS_MODE_IMPRESSED);
    ss_inclusion_modes(&p->inclusion, P, u, 1e-5, mode);
    assert_int_equal(mode[1], SS_MODE_CONSTRAINT);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_mass_by_hand),
        cmocka_unit_test(friction_is_measured_with_the_present_normal_impulse),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(both_forms_and_known_r_agree),
        cmocka_unit_test(the_worst_block_is_named),
        cmocka_unit_test(rounding_is_no_error),
        cmocka_unit_test(a_block_that_moves_nothing),
        cmocka_unit_test(what_is_not_finite_is_never_small),
        cmocka_unit_test(a_set_without_zero),
        cmocka_unit_test(impulses_that_run_away_hide_nothing),
        cmocka_unit_test(light_contacts_count_beside_heavy_ones),
        cmocka_unit_test(modes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
