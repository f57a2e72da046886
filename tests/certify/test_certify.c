/* test_certify.c: impulses and velocities that obey a law, and such as break it in every way. */
#include "certify/certify.h"

#include "base/context.h"

#include "support/test.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double error = 1e-6;

static ss_breach certify(const ss_set *set, double scale, const double *P, const double *gamma,
                         double *size)
{
    return ss_certify_law(&(ss_certified_law){set, scale, P, gamma, error, error}, size);
}

/* One row. */
static ss_breach row(const ss_set *set, double scale, double P, double gamma, double *size)
{
    return certify(set, scale, &P, &gamma, size);
}

static void contact_obeys(void **state)
{
    (void)state;
    double size;
    assert_int_equal(row(ss_set_half_line(), 1, 3, 0, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_half_line(), 1, 0, 2, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_half_line(), 1, 0, 0, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_half_line(), 1, 3, 0.9 * error, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_half_line(), 1, -0.9 * error, 2, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_negative_half_line(), 1, -3, 0, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_negative_half_line(), 1, 0, -2, &size), SS_BREACH_NONE);
}

static void contact_breaks(void **state)
{
    (void)state;
    double size;
    assert_int_equal(row(ss_set_half_line(), 1, -0.5, 0, &size), SS_BREACH_PULL);
    assert_float_equal(size, 0.5, 1e-6);
    assert_int_equal(row(ss_set_half_line(), 1, -0.5, 2, &size), SS_BREACH_PULL);
    assert_int_equal(row(ss_set_half_line(), 1, 3, 2, &size), SS_BREACH_COMPLEMENTARITY);
    assert_float_equal(size, 2, 1e-6);
    assert_int_equal(row(ss_set_half_line(), 1, 0, -2, &size), SS_BREACH_APPROACH);
    assert_float_equal(size, 2, 1e-6);
    assert_int_equal(row(ss_set_half_line(), 1, 3, -2, &size), SS_BREACH_APPROACH);
    assert_int_equal(row(ss_set_half_line(), 1, 3, 1e-4, &size), SS_BREACH_COMPLEMENTARITY);
    assert_int_equal(row(ss_set_negative_half_line(), 1, 0.5, 0, &size), SS_BREACH_PULL);
    assert_int_equal(row(ss_set_negative_half_line(), 1, -3, -2, &size), SS_BREACH_COMPLEMENTARITY);
    assert_int_equal(row(ss_set_negative_half_line(), 1, 0, 2, &size), SS_BREACH_APPROACH);
    assert_int_equal(row(ss_set_half_line(), 1, NAN, 0, &size), SS_BREACH_RUNAWAY);
    assert_int_equal(row(ss_set_half_line(), 1, 1, INFINITY, &size), SS_BREACH_RUNAWAY);
}

static void constraint(void **state)
{
    (void)state;
    double size, P[3] = {5, -2, 1}, still[3] = {0}, moves[3] = {0, 0, -0.3};
    assert_int_equal(certify(ss_set_free(3), 1, P, still, &size), SS_BREACH_NONE);
    assert_int_equal(certify(ss_set_free(3), 1, P, moves, &size), SS_BREACH_COMPLEMENTARITY);
    assert_float_equal(size, 0.3, 1e-6);
    assert_int_equal(row(ss_set_free(1), 1, -7, 0, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_free(1), 1, -7, 0.1, &size), SS_BREACH_COMPLEMENTARITY);
}

static void friction_in_a_row(void **state)
{
    (void)state;
    double size;
    assert_int_equal(row(ss_set_interval(), 2, 1.5, 0, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_interval(), 2, -2, 3, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_interval(), 2, 2, -3, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_interval(), 2, 2.5, -3, &size), SS_BREACH_CONE);
    assert_float_equal(size, 0.5, 1e-6);
    assert_int_equal(row(ss_set_interval(), 2, 2, 3, &size), SS_BREACH_SLIP); /* along the force */
    assert_float_equal(size, 4, 1e-6);
    assert_int_equal(row(ss_set_interval(), 2, -1.9, 3, &size), SS_BREACH_SLIP); /* not all of it */
    assert_float_equal(size, 0.1, 1e-6);
    assert_int_equal(row(ss_set_interval(), 0, 0, 3, &size), SS_BREACH_NONE);
    assert_int_equal(row(ss_set_interval(), 0, 0.1, 0, &size), SS_BREACH_CONE);
}

static void friction_in_a_plane(void **state)
{
    (void)state;
    double size, sticks[2] = {1, 1}, still[2] = {0}, slip[2] = {-3, 4};
    double against[2] = {1.2, -1.6}, along[2] = {-1.2, 1.6}, across[2] = {1.6, 1.2},
           half[2] = {0.6, -0.8}, beyond[2] = {2, 1};
    const ss_set *disk = ss_set_disk(2);
    assert_int_equal(certify(disk, 2, sticks, still, &size), SS_BREACH_NONE);
    assert_int_equal(certify(disk, 2, against, slip, &size), SS_BREACH_NONE);
    assert_int_equal(certify(disk, 2, along, slip, &size), SS_BREACH_SLIP);
    assert_float_equal(size, 4, 1e-6);
    assert_int_equal(certify(disk, 2, across, slip, &size), SS_BREACH_SLIP);
    assert_int_equal(certify(disk, 2, half, slip, &size), SS_BREACH_SLIP);
    assert_float_equal(size, 1, 1e-6);
    assert_int_equal(certify(disk, 2, beyond, slip, &size), SS_BREACH_CONE);
    assert_float_equal(size, sqrt(5) - 2, 1e-6);
    against[0] += 1e-4; /* a direction that is off by 1e-4 */
    against[1] += 0.75e-4;
    assert_int_equal(certify(disk, 2.001, against, slip, &size), SS_BREACH_SLIP);
    double slow[2] = {1e-7, 0};
    assert_int_equal(certify(disk, 2, sticks, slow, &size), SS_BREACH_NONE);
}

/* Impulses μ = (3, 1): the one that takes out the most with the slip (1, 1) is at -(9, 1)/√10. */
static void ellipse(void **state)
{
    (void)state;
    ss_context *context;
    ss_args *args;
    ss_set *set;
    double size, slip[2] = {1, 1}, best[2] = {-9 / sqrt(10), -1 / sqrt(10)},
                 opposite[2] = {-3 / sqrt(2) / sqrt(5), -3 / sqrt(2) / sqrt(5)};
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    assert_int_equal(ss_register_builtin_sets(context), SS_OK);
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_reals(args, "axes", 2, (double[]){3, 1}), SS_OK);
    assert_int_equal(ss_set_create(context, "ellipse", args, NULL, 2, &set), SS_OK);
    assert_int_equal(certify(set, 1, best, slip, &size), SS_BREACH_NONE);
    assert_int_equal(certify(set, 1, opposite, slip, &size), SS_BREACH_SLIP);
    best[0] *= 1.01;
    assert_int_equal(certify(set, 1, best, slip, &size), SS_BREACH_CONE);
    ss_set_destroy(set);
    ss_args_destroy(args);
    ss_context_destroy(context);
}

static ss_breach impact(double P, double before, double after, double epsilon, double *size)
{
    return ss_certify_impact(&(ss_certified_impact){P, before, after, epsilon, error, error}, size);
}

static void restitution(void **state)
{
    (void)state;
    double size;
    assert_int_equal(impact(1, -2, 1, 0.5, &size), SS_BREACH_NONE);
    assert_int_equal(impact(1, -2, 0, 0, &size), SS_BREACH_NONE);
    assert_int_equal(impact(1, -2, 0.8, 0.5, &size), SS_BREACH_RESTITUTION);
    assert_float_equal(size, 0.2, 1e-6);
    assert_int_equal(impact(1, -2, -1, 0.5, &size), SS_BREACH_RESTITUTION);
    assert_int_equal(impact(0, 2, 2, 0.5, &size), SS_BREACH_NONE); /* no impulse, no impact */
}

static void momentum_and_gaps(void **state)
{
    (void)state;
    double size;
    assert_int_equal(ss_certify_momentum(1e-13, 1, error, &size), SS_BREACH_NONE);
    assert_int_equal(ss_certify_momentum(1e-11, 1, error, &size), SS_BREACH_MOMENTUM);
    assert_int_equal(ss_certify_momentum(NAN, 1, error, &size), SS_BREACH_MOMENTUM);
    assert_int_equal(ss_certify_gap(0, true, error, &size), SS_BREACH_NONE);
    assert_int_equal(ss_certify_gap(2e-3, true, error, &size), SS_BREACH_GAP); /* at a distance */
    assert_float_equal(size, 2e-3, 1e-6);
    assert_int_equal(ss_certify_gap(2e-3, false, error, &size), SS_BREACH_NONE);
    assert_int_equal(ss_certify_gap(-2e-3, false, error, &size), SS_BREACH_GAP);
    assert_int_equal(ss_certify_gap(-2e-3, true, error, &size), SS_BREACH_GAP);
}

static void notes_keep_the_first(void **state)
{
    (void)state;
    ss_statistics sums = {0};
    ss_certificate_note(&sums, 0.5, SS_BREACH_PULL, 3, "foot.gap");
    ss_certificate_note(&sums, 0.7, SS_BREACH_CONE, 9, "foot.slip");
    assert_int_equal(sums.violation.kind, SS_BREACH_PULL);
    assert_string_equal(sums.violation.law, "foot.gap");
    assert_float_equal(sums.violation.t, 0.5, 1e-6);
    assert_float_equal(sums.violation.size, 3, 1e-6);
    for (int i = 0; i < SS_BREACH_COUNT; i++) {
        assert_true(ss_breach_text((ss_breach)i)[0] != 0);
        assert_non_null(ss_breach_unit((ss_breach)i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_obeys),        cmocka_unit_test(contact_breaks),
        cmocka_unit_test(constraint),           cmocka_unit_test(friction_in_a_row),
        cmocka_unit_test(friction_in_a_plane),  cmocka_unit_test(ellipse),
        cmocka_unit_test(restitution),          cmocka_unit_test(momentum_and_gaps),
        cmocka_unit_test(notes_keep_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
