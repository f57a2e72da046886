/* test_coin.c: coins on their rims, event-driven and augmented, against closed form and an integration of its own kind.
 *
 * The point of contact runs around the rim by 1/sin α faster than the coin turns.
 */

#include "run.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>

#define NEAR(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))

static const char *const q_names[] = {"coin.x",  "coin.y",  "coin.z", "coin.e0",
                                      "coin.e1", "coin.e2", "coin.e3"};
static const char *const u_names[] = {"coin.x'", "coin.y'", "coin.z'",
                                      "coin.wx", "coin.wy", "coin.wz"};

#define TIGHT                                                                                 \
    "simulation.type=event_driven", "simulation.relative=1e-12", "simulation.absolute=1e-13", \
        "solver.tolerance=1e-15"
#define TIGHT_AUGMENTED                                                                         \
    "simulation.type=augmented", "scheme.type=moreau", "simulation.step_min=1e-12",             \
        "simulation.order_max=8", "simulation.absolute_q=1e-13", "simulation.relative_q=1e-13", \
        "simulation.absolute_u=1e-12", "simulation.relative_u=1e-12", "solver.tolerance=1e-15"

/* On a smooth table a coin that does not turn about its own axis wobbles steadily, its centre at rest: the torque of its weight,
 * m g (R cos α - d/2 sin α), turns the angular momentum I_1 Ω sin α around by Ω cos α. */
static void wobbles_steadily(double alpha)
{
    const double R = 0.0375, d = 0.0005, g = 9.81, I = (3 * R * R + d * d) / 12, end = 0.05;
    double Omega = sqrt(g * (R * cos(alpha) - d / 2 * sin(alpha)) / (I * sin(alpha) * cos(alpha)));
    char tilt[64], speed[64];
    run r;
    snprintf(tilt, sizeof tilt, "alpha=%.17g", alpha);
    snprintf(speed, sizeof speed, "Omega=%.17g", Omega);
    open_run(&r, "euler_disk",
             (const char *[]){"mu=0", "rolling=1e-20", tilt, speed, TIGHT, "simulation.output=0.01",
                              "simulation.end=0.05", NULL});
    finish_run(&r);
    double wobble = Omega * sin(alpha) * cos(alpha);
    NEAR(position(&r, "coin.z"), R * sin(alpha) + d / 2 * cos(alpha), 1e-11);
    NEAR(velocity(&r, "coin.wx"), wobble * cos(Omega * end), 1e-8);
    NEAR(velocity(&r, "coin.wy"), -wobble * sin(Omega * end), 1e-8);
    close_run(&r);
}

static void smooth_table(void **state)
{
    (void)state;
    wobbles_steadily(0.1);
    wobbles_steadily(0.01);
    wobbles_steadily(0.002);
}

static void follows(const char *const *settings, const double y[13], double tolerance)
{
    run r;
    open_run(&r, "euler_disk", settings);
    finish_run(&r);
    for (int i = 0; i < 7; i++)
        NEAR(position(&r, q_names[i]), y[i], tolerance);
    for (int i = 0; i < 6; i++)
        NEAR(velocity(&r, u_names[i]), y[7 + i], tolerance * fmax(1, fabs(y[7 + i])));
    close_run(&r);
}

/* States of the scene by a program that roles nothing with this one: the coin's equations written out, with derivatives of the point
 * of contact in closed form, Radau IIA of order 9 in 80-bit numbers; with steps of 0.05/Ω and 0.03/Ω they are the same to 1e-15. The
 * coin slips at first, sticks from 0.000489633851 s on, slips from 0.575821908448 s on again, from rest. */
static void slips_and_sticks(void **state)
{
    (void)state;
    static const double early[] = {
        -1.9801725590512115e-05, -3.6828297791707244e-06, 0.011270948352809014,
        0.9883132785524692,      0.14726408945208699,     0.020960525994488652,
        -0.033328782527292627,   -0.00096564002048854709, 0.0017517615733436871,
        -0.0058561218457955783,  1.5815557766763788,      -16.155241055582472,
        -5.0933612426937449};
    static const double late[] = {
        7.679556410177755e-05,  -0.00047173694769377328, 0.0051211901688489828,
        0.93560222291885875,    0.059076179179430643,    0.027387124410475739,
        -0.34699918002694913,   -0.034134630554100147,   -0.0017719520928735576,
        -0.0092469278095763351, 0.67199257072928076,     -11.65129064033783,
        -0.68888972148550498};
    follows((const char *[]){TIGHT, "simulation.output=0.025", "simulation.end=0.025",
                             "simulation.slip=1e-7", NULL},
            early, 1e-10);
    follows((const char *[]){TIGHT, "simulation.output=0.025", "simulation.end=0.65",
                             "simulation.slip=1e-9", NULL},
            late, 2e-9);
    /* The force that sticks grows by 2/s of itself where the coin begins to slip. */
    follows(
        (const char *[]){TIGHT_AUGMENTED, "simulation.step_max=0.002", "simulation.end=0.65", NULL},
        late, 2e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_table),
        cmocka_unit_test(slips_and_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
