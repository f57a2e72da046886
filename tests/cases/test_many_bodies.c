/* test_many_bodies.c: funnels and heaps: nothing passes through a wall, and the same motion comes out of every form and any
 * number of threads. */

#include "support/test.h"
#include "watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Funnels ---- */

/* Nothing passes through a wall, nor does it enter one by more than 0.1 mm. */
static void boxes_and_ball_through_a_funnel(void **state)
{
    (void)state;
    passage p = pass_funnel("funnel_boxes", NULL);
    assert_true(p.deepest < 1e-4);
    assert_int_equal(p.through, 5);
}

static void balls_through_a_funnel(void **state)
{
    (void)state;
    const char *overrides[] = {"n=7", "simulation.end=1.8", NULL};
    passage p = pass_funnel("funnel", overrides);
    assert_true(p.deepest < 1e-4);
    assert_int_equal(p.through, 343);
}

/* ---- One motion ---- */

typedef struct result {
    int n, contacts;
    double *numbers;
} result;

static result motion(const char *scene, const char *const *overrides, int threads)
{
    run r;
    open_threaded_run(&r, scene, overrides, threads);
    finish_run(&r);
    ss_model_size size = ss_model_sizes(ss_scene_model(r.scene));
    result m = {.n = size.n_q + size.n_u, .contacts = ss_state_contact_count(r.state)};
    m.numbers = malloc((size_t)m.n * sizeof *m.numbers);
    assert_non_null(m.numbers);
    memcpy(m.numbers, ss_state_q(r.state), (size_t)size.n_q * sizeof(double));
    memcpy(m.numbers + size.n_q, ss_state_u(r.state), (size_t)size.n_u * sizeof(double));
    close_run(&r);
    return m;
}

static void expect_same(const result *one, result two)
{
    assert_int_equal(one->n, two.n);
    assert_memory_equal(one->numbers, two.numbers, (size_t)one->n * sizeof *one->numbers);
    free(two.numbers);
}

/* Bit for bit: round bodies, and bodies of other shapes among them. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    static const int threads[] = {2, 3, 8};
    const char *balls[] = {"simulation.end=0.25", NULL}, *boxes[] = {"simulation.end=0.1", NULL};
    result one = motion("mixer", balls, 1), other = motion("funnel_boxes", boxes, 1);
    assert_true(one.contacts > 2000); /* enough that threads are used */
    for (int i = 0; i < 3; i++) {
        expect_same(&one, motion("mixer", balls, threads[i]));
        expect_same(&other, motion("funnel_boxes", boxes, threads[i]));
    }
    free(one.numbers);
    free(other.numbers);
}

/* The same with kernels for processors of lower levels; a level that the machine does not have is its own. */
static void processors_do_not_matter(void **state)
{
    (void)state;
    static const char *const levels[] = {"v2", "v3"};
    const char *set = getenv("STICKSLIP_PROCESSOR");
    char *before = set ? strdup(set) : NULL;
    const char *balls[] = {"simulation.end=0.1", NULL}, *boxes[] = {"simulation.end=0.1", NULL};
    result one = motion("mixer", balls, 1), other = motion("funnel_boxes", boxes, 1);
    for (int i = 0; i < 2; i++) {
        setenv("STICKSLIP_PROCESSOR", levels[i], 1);
        expect_same(&one, motion("mixer", balls, 1));
        expect_same(&other, motion("funnel_boxes", boxes, 1));
    }
    if (before)
        setenv("STICKSLIP_PROCESSOR", before, 1);
    else
        unsetenv("STICKSLIP_PROCESSOR");
    free(before);
    free(one.numbers);
    free(other.numbers);
}

static double difference(const char *scene, const char *const *round, const char *const *general)
{
    result a = motion(scene, round, 1), b = motion(scene, general, 1);
    double most = 0;
    assert_int_equal(a.contacts, b.contacts);
    for (int i = 0; i < a.n; i++)
        most = fmax(most, fabs(a.numbers[i] - b.numbers[i]));
    free(a.numbers);
    free(b.numbers);
    return most;
}

/* Sweeps that are not in forward order are made in the general form. */
static void round_and_general_form_agree(void **state)
{
    (void)state;
    static const char *const flying[] = {"simulation.end=0.6", "solver.tolerance=1e-13", NULL};
    static const char *const flying_general[] = {"simulation.end=0.6", "solver.tolerance=1e-13",
                                                 "solver.order=backward", NULL};
    static const char *const heap[] = {"n=4", "simulation.end=0.15", "solver.tolerance=1e-13",
                                       NULL};
    static const char *const heap_general[] = {
        "n=4", "simulation.end=0.15", "solver.tolerance=1e-13", "solver.order=backward", NULL};
    double d = difference("cluster", flying, flying_general);
    assert_true(d < 1e-9);
    d = difference("mixer", heap, heap_general);
    assert_true(d < 1e-8);
}

/* A step that is not solved names the worst contact, in either form. */
static void worst_contacts_are_named(void **state)
{
    (void)state;
    for (int general = 0; general < 2; general++) {
        run r;
        const char *overrides[] = {
            "solver.max_iterations=1", "simulation.on_failure=warn", "simulation.end=0.08",
            general ? "solver.order=backward" : "solver.order=forward", NULL};
        open_run(&r, "heap", overrides);
        finish_run(&r);
        assert_non_null(strstr(r.warning, "worst law 'contact."));
        assert_non_null(strstr(r.warning, " of ball_"));
        close_run(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_and_ball_through_a_funnel),
        cmocka_unit_test(balls_through_a_funnel),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(processors_do_not_matter),
        cmocka_unit_test(round_and_general_form_agree),
        cmocka_unit_test(worst_contacts_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
