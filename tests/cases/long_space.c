/* long_space.c: what must hold for very many steps or bodies: minutes, not seconds (make test-long). */

#include "support/test.h"
#include "watch.h"

#include <stdio.h>

static const char *const many_steps[] = {"simulation.end=100", NULL}; /* 10⁵ of 1 ms */

static void stack_stands(void **state)
{
    (void)state;
    double move = largest_move("stack", many_steps);
    printf("stack: %.2g m in 1e5 steps\n", move);
    assert_true(move < 1e-9);
}

static void arch_stands(void **state)
{
    (void)state;
    double move = largest_move("arch", many_steps);
    printf("arch: %.2g m in 1e5 steps\n", move);
    assert_true(move < 1e-9);
}

/* The farthest that anything came in a box, in parts of its half edge. */
static double farthest(const char *scene, const char *const *overrides, double half)
{
    run r;
    double most = 0;
    open_run(&r, scene, overrides);
    r.look = look_at_surfaces;
    r.user = &most;
    finish_run(&r);
    printf("%s: %.3g mm into a wall in %.0f steps\n", scene, 1e3 * (most - half),
           (double)ss_state_statistics(r.state)->steps);
    assert_true(ss_state_statistics(r.state)->steps >= 100000);
    close_run(&r);
    return most / half;
}

/* Balls without loss, and every shape with friction in a box that is shaken. */
static void nothing_leaves_a_closed_box(void **state)
{
    (void)state;
    const char *shaken[] = {"simulation.end=50", NULL};
    assert_true(farthest("closed_box", many_steps, 0.5) < 1.02);
    assert_true(farthest("shaken_box", shaken, 0.15) < 1.02);
}

static void a_thousand_balls_through_a_funnel(void **state)
{
    (void)state;
    passage p = pass_funnel("funnel", NULL);
    printf("funnel: %d balls through, %.2g m into a wall\n", p.through, p.deepest);
    assert_int_equal(p.through, 1000);
    assert_true(p.deepest < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_stands),
        cmocka_unit_test(arch_stands),
        cmocka_unit_test(nothing_leaves_a_closed_box),
        cmocka_unit_test(a_thousand_balls_through_a_funnel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
