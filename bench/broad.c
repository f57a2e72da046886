/* broad.c: the time of the broad phase per sphere, for 10³ … 10⁶ spheres of one size in a dense pile (60 % of the
 * volume) on a floor between four walls, numbered along the pile and without any order. */
#include <stickslip/shape.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void must(ss_context *context, ss_status status)
{
    if (status == SS_OK)
        return;
    fprintf(stderr, "broad: %s\n", context ? ss_context_message(context) : "no context");
    exit(1);
}

/* In [-1, 1), without pattern. */
static double noise(unsigned long k)
{
    unsigned long z = (k + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* Unit spheres at the places of a face-centred cubic lattice that is stretched and disturbed. */
static void fill_pile(int n, ss_bounds *boxes, int *group)
{
    const double diameter = 1, margin = 0.01;
    double edge = diameter * sqrt(2) * cbrt(0.7405 / 0.6);
    int side = (int)ceil(cbrt(n / 4.0));
    for (int i = 0; i < n; i++) {
        int cell = i / 4, corner = i % 4;
        int place[3] = {cell % side, (cell / side) % side, cell / side / side};
        for (int k = 0; k < 3; k++) {
            double shift = corner && corner != k + 1 ? 0.5 : 0;
            double x =
                edge * (place[k] + shift) + 0.07 * noise(3 * (unsigned long)i + (unsigned long)k);
            boxes[i].low[k] = x - diameter / 2 - margin;
            boxes[i].high[k] = x + diameter / 2 + margin;
        }
        group[i] = i;
    }
    for (int wall = 0; wall < 5; wall++) {
        boxes[n + wall] = (ss_bounds){{-1e3, -1e3, -1e3}, {1e3, 1e3, 1e3}};
        double at = wall < 3 ? -diameter / 2 : edge * side - diameter / 2;
        (wall < 3 ? boxes[n + wall].high : boxes[n + wall].low)[wall % 3] = at;
        group[n + wall] = -1;
    }
}

static void shuffle(int n, ss_bounds *boxes)
{
    for (int i = n - 1; i > 0; i--) {
        int k = (int)((noise((unsigned long)i) + 1) / 2 * (i + 1));
        ss_bounds swap = boxes[i];
        boxes[i] = boxes[k];
        boxes[k] = swap;
    }
}

/* One thread: what it used; several: what passed. */
static double seconds(int threads)
{
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All boxes go so far that no pairs of an earlier call serve. */
static void move_all(int n, ss_bounds *boxes, int run)
{
    double way = run % 2 ? 1 : -1;
    for (int i = 0; i < n; i++) {
        boxes[i].low[0] += way;
        boxes[i].high[0] += way;
    }
}

/* Least seconds of one call, with boxes that move or stay. */
static double measure(int threads, bool move, int n, ss_bounds *boxes, const int *group, int *pairs)
{
    ss_context_options options = ss_default_context();
    ss_context *context = NULL;
    ss_broad *broad;
    const ss_near *near;
    double least = INFINITY;
    options.threads = threads;
    must(NULL, ss_context_create(&options, &context));
    must(context, ss_broad_create(context, &broad));
    int runs = n < 100000 ? 30 : 6;
    for (int run = 0; run < runs; run++) {
        if (move)
            move_all(n, boxes, run);
        double begin = seconds(threads);
        must(context, ss_broad_pairs(broad, n, boxes, group, &near, pairs));
        least = fmin(least, seconds(threads) - begin);
    }
    ss_broad_destroy(broad);
    ss_context_destroy(context);
    return least;
}

int main(void)
{
    enum { MOST = 1000000, WALLS = 5 };
    ss_bounds *boxes = malloc((MOST + WALLS) * sizeof *boxes);
    int *group = malloc((MOST + WALLS) * sizeof *group);
    if (!boxes || !group) {
        free(boxes);
        free(group);
        return 1;
    }
    printf("time of the broad phase, ns per sphere\n");
    printf("  spheres     pairs   in order   shuffled   shuffled, 2 threads   in order, at rest\n");
    for (int n = 1000; n <= MOST; n *= 10) {
        int pairs;
        fill_pile(n, boxes, group);
        double rest = measure(1, false, n + WALLS, boxes, group, &pairs);
        double ordered = measure(1, true, n + WALLS, boxes, group, &pairs);
        shuffle(n, boxes);
        double shuffled = measure(1, true, n + WALLS, boxes, group, &pairs);
        double two = measure(2, true, n + WALLS, boxes, group, &pairs);
        printf("%9d %9d %10.1f %10.1f %10.1f %10.1f\n", n, pairs, 1e9 * ordered / n,
               1e9 * shuffled / n, 1e9 * two / n, 1e9 * rest / n);
    }
    free(boxes);
    free(group);
    return 0;
}
