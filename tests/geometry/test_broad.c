/* test_broad.c: the broad phase against every box with every other. */
#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

#include "base/context.h"
#include "geometry/broad/broad.h"

#include <stickslip/shape.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12000 };

typedef struct world {
    int n;
    ss_bounds boxes[MOST];
    int group[MOST];
} world;

static world w;

static ss_context *context_with(int threads)
{
    ss_context_options options = ss_default_context();
    ss_context *context;
    options.threads = threads;
    assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
    return context;
}

static bool overlap(const ss_bounds *a, const ss_bounds *b)
{
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k] || a->low[k] > a->high[k] ||
            b->low[k] > b->high[k])
            return false;
    return true;
}

static void add_box(const double centre[3], const double half[3], int group)
{
    for (int k = 0; k < 3; k++) {
        w.boxes[w.n].low[k] = centre[k] - half[k];
        w.boxes[w.n].high[k] = centre[k] + half[k];
    }
    w.group[w.n++] = group;
}

enum { MOST_PAIRS = 2000000 };

static ss_near wanted[MOST_PAIRS];
static int n_wanted;

/* Brute force goes through the pairs in the very order that is asked for. */
static void find_wanted(void)
{
    n_wanted = 0;
    for (int a = 0; a < w.n; a++)
        for (int b = a + 1; b < w.n; b++)
            if (w.group[a] != w.group[b] && overlap(&w.boxes[a], &w.boxes[b])) {
                assert_true(n_wanted < MOST_PAIRS);
                wanted[n_wanted++] = (ss_near){a, b};
            }
}

static void check_broad(ss_broad *broad)
{
    const ss_near *near;
    int count;
    assert_int_equal(ss_broad_pairs(broad, w.n, w.boxes, w.group, &near, &count), SS_OK);
    assert_int_equal(count, n_wanted);
    for (int i = 0; i < count; i++)
        if (near[i].a != wanted[i].a || near[i].b != wanted[i].b)
            fail_msg("pair %d is (%d, %d), not (%d, %d)", i, near[i].a, near[i].b, wanted[i].a,
                     wanted[i].b);
}

static void check(void)
{
    find_wanted();
    for (int threads = 1; threads <= 2; threads++) {
        ss_context *context = context_with(threads);
        ss_broad *broad;
        assert_int_equal(ss_broad_create(context, &broad), SS_OK);
        check_broad(broad);
        check_broad(broad);
        ss_broad_destroy(broad);
        ss_context_destroy(context);
    }
}

static void random_box(random_state *r, double space, double smallest, double largest, int group)
{
    double centre[3], half[3];
    for (int k = 0; k < 3; k++) {
        centre[k] = random_between(r, -space, space);
        half[k] = random_log(r, smallest, largest);
    }
    add_box(centre, half, group);
}

static void test_like_sizes(void **state)
{
    (void)state;
    random_state r = {1};
    const int counts[] = {0, 1, 2, 33, 400, 7000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        w.n = 0;
        for (int i = 0; i < counts[c]; i++)
            random_box(&r, cbrt(counts[c]), 0.45, 0.55, i);
        check();
    }
}

/* Nine decades of sizes, slender and flat boxes among them. */
static void test_different_sizes(void **state)
{
    (void)state;
    for (int seed = 0; seed < 12; seed++) {
        random_state r = {(uint64_t)seed + 10};
        w.n = 0;
        double largest = seed % 3 ? 10 : 1;
        double smallest = seed % 2 ? 1e-9 : 0.01;
        for (int i = 0; i < 3000; i++)
            random_box(&r, 10, smallest, largest, random_below(&r, 2000) - 1);
        check();
    }
}

static void test_many_levels(void **state)
{
    (void)state;
    random_state r = {5};
    w.n = 0;
    for (int level = 0; level < 60; level++)
        for (int i = 0; i < 70; i++)
            random_box(&r, 30 * pow(2, -level), 0.9 * pow(2, -level), 1.0 * pow(2, -level), w.n);
    check();
}

/* A pile on few large plates, some of them infinite, with boxes flown far away. */
static void test_large_and_far(void **state)
{
    (void)state;
    random_state r = {6};
    w.n = 0;
    for (int i = 0; i < 5000; i++)
        random_box(&r, 8, 0.4, 0.5, i);
    for (int i = 0; i < 20; i++)
        random_box(&r, 10, 5, 20, -1);
    for (int i = 0; i < 20; i++)
        random_box(&r, pow(10, i), 0.4, 0.5, w.n);
    for (int i = 0; i < 12; i++) {
        random_box(&r, 8, 1, 2, i % 2 ? -1 : w.n);
        w.boxes[w.n - 1].low[i % 3] = -INFINITY;
        if (i >= 6)
            w.boxes[w.n - 1].high[(i + 1) % 3] = INFINITY;
    }
    random_box(&r, 1e300, 1e299, 1e300, w.n);
    check();
}

static void test_equal_boxes_and_points(void **state)
{
    (void)state;
    random_state r = {7};
    const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    w.n = 0;
    for (int i = 0; i < 300; i++)
        add_box(one, one, i % 200);
    for (int i = 0; i < 300; i++)
        add_box(one, zero, i);
    for (int i = 0; i < 300; i++) { /* a lattice: faces, edges and corners contact exactly */
        int row = i / 7, layer = i / 49;
        add_box((double[3]){2.0 * (i % 7), 2.0 * (row % 7), 2.0 * layer}, one, i);
    }
    for (int i = 0; i < 300; i++)
        random_box(&r, 1e-310, 1e-312, 1e-311, i);
    check();
    w.n = 0;
    for (int i = 0; i < 200; i++)
        add_box(zero, zero, i);
    check();
}

static void test_empty_boxes(void **state)
{
    (void)state;
    random_state r = {8};
    w.n = 0;
    for (int i = 0; i < 1000; i++) {
        random_box(&r, 3, 0.3, 0.5, i);
        if (i % 5 == 0)
            w.boxes[i].low[i % 3] = w.boxes[i].high[i % 3] + (i % 2 ? 1e-9 : INFINITY);
    }
    check();
}

/* A line, a sheet and a thin gas need many cells; so do boxes far from the origin. */
static void test_wide_spaces(void **state)
{
    (void)state;
    random_state r = {9};
    const double half[3] = {0.5, 0.5, 0.5};
    for (int dim = 1; dim <= 3; dim++) {
        w.n = 0;
        for (int i = 0; i < 4000; i++) {
            double x[3] = {0, 1e6, 0};
            for (int k = 0; k < dim; k++)
                x[k] = random_between(&r, 0, dim == 1 ? 4000 : 1e9);
            add_box(x, half, w.n);
            x[dim - 1] += random_between(&r, -2, 2);
            add_box(x, half, w.n);
        }
        check();
    }
}

static void test_every_order_of_indices(void **state)
{
    (void)state;
    random_state r = {11};
    w.n = 0;
    for (int i = 0; i < 3000;
         i++) /* each of the thousand large boxes has more pairs than a short list */
        random_box(&r, 6, i % 3 ? 0.05 : 1.5, i % 3 ? 0.1 : 2, i);
    check();
}

static void test_bad_numbers(void **state)
{
    (void)state;
    ss_context *context = context_with(1);
    ss_broad *broad;
    const ss_near *near;
    int count;
    w.n = 0;
    for (int i = 0; i < 3; i++)
        add_box((double[3]){i, 0, 0}, (double[3]){1, 1, 1}, i);
    w.boxes[2].high[1] = NAN;
    assert_int_equal(ss_broad_create(context, &broad), SS_OK);
    assert_int_equal(ss_broad_pairs(broad, 3, w.boxes, w.group, &near, &count), SS_NON_FINITE);
    assert_non_null(strstr(ss_context_message(context), "box 2"));
    assert_int_equal(ss_broad_pairs(broad, -1, w.boxes, w.group, &near, &count), SS_INPUT);
    assert_int_equal(ss_broad_pairs(broad, 2, w.boxes, w.group, &near, &count), SS_OK);
    assert_int_equal(count, 1);
    ss_broad_destroy(broad);
    ss_context_destroy(context);
}

static ss_status run_once(ss_context *context)
{
    ss_broad *broad;
    const ss_near *near;
    int count;
    ss_status status = ss_broad_create(context, &broad);
    if (status == SS_OK)
        status = ss_broad_pairs(broad, w.n, w.boxes, w.group, &near, &count);
    ss_broad_destroy(broad);
    return status;
}

static void test_allocation_failures(void **state)
{
    (void)state;
    random_state r = {12};
    w.n = 0;
    for (int i = 0; i < 3000; i++)
        random_box(&r, 4, 0.4, 0.5, i);
    ss_status status = SS_MEMORY;
    for (long allowed = 1; status != SS_OK; allowed++) {
        counting_allocator counter = {.allowed = allowed};
        ss_context_options options = counting_options(&counter);
        ss_context *context;
        assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
        status = run_once(context);
        assert_true(status == SS_OK || status == SS_MEMORY);
        ss_context_destroy(context);
        assert_int_equal(counter.live, 0);
    }
}

static void move_box(random_state *r, int i, double most)
{
    for (int k = 0; k < 3; k++) {
        double way = random_between(r, -most, most);
        w.boxes[i].low[k] += way;
        w.boxes[i].high[k] += way;
    }
}

/* Pairs that were found once serve as long as boxes hardly move; the answer is always that of a new search. */
static void test_boxes_that_hardly_move(void **state)
{
    (void)state;
    random_state r = {17};
    for (int threads = 1; threads <= 2; threads++) {
        ss_context *context = context_with(threads);
        ss_broad *broad;
        int kept = 0;
        assert_int_equal(ss_broad_create(context, &broad), SS_OK);
        w.n = 0;
        for (int i = 0; i < 900; i++)
            random_box(&r, 3, 0.2, 0.4, i);
        for (int step = 0; step < 60; step++) {
            for (int i = 0; i < w.n; i++)
                move_box(&r, i, step < 20 || step > 50 ? 1e-3 : 0.1);
            if (step == 10)
                w.group[1] = w.group[0];
            if (step == 15)
                w.n--;
            find_wanted();
            check_broad(broad);
            kept += broad->n_larger > 0 && broad->uses > 0;
        }
        assert_in_range(kept, 10, 40);
        ss_broad_destroy(broad);
        ss_context_destroy(context);
    }
}

static void test_no_allocation_after_the_first_steps(void **state)
{
    (void)state;
    random_state r = {13};
    counting_allocator counter = {.allowed = -1};
    ss_context_options options = counting_options(&counter);
    ss_context *context;
    ss_broad *broad;
    const ss_near *near;
    int count;
    options.threads = 2;
    assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
    assert_int_equal(ss_broad_create(context, &broad), SS_OK);
    w.n = 0;
    for (int i = 0; i < 6000; i++)
        random_box(&r, 10, 0.4, 0.5, i);
    assert_int_equal(ss_broad_pairs(broad, w.n, w.boxes, w.group, &near, &count), SS_OK);
    long before = counter.calls;
    for (int step = 0; step < 20; step++) {
        for (int i = 0; i < w.n; i++) {
            double move = random_between(&r, -0.1, 0.1);
            w.boxes[i].low[step % 3] += move;
            w.boxes[i].high[step % 3] += move;
        }
        assert_int_equal(ss_broad_pairs(broad, w.n, w.boxes, w.group, &near, &count), SS_OK);
    }
    assert_int_equal(counter.calls, before);
    ss_broad_destroy(broad);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_sizes),
        cmocka_unit_test(test_different_sizes),
        cmocka_unit_test(test_many_levels),
        cmocka_unit_test(test_large_and_far),
        cmocka_unit_test(test_equal_boxes_and_points),
        cmocka_unit_test(test_empty_boxes),
        cmocka_unit_test(test_wide_spaces),
        cmocka_unit_test(test_every_order_of_indices),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_boxes_that_hardly_move),
        cmocka_unit_test(test_no_allocation_after_the_first_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
