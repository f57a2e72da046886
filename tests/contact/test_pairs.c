/* test_pairs.c: every pair of shapes against the definition of their distance: at the normal n that is reported the
 * planes across n that hold the shapes apart are `gap` apart, and there are points of both with that distance; no
 * other direction does better. */
#include "contact/shapes.h"

enum { KINDS = 7 };

static ss_shape *some_shape(ss_context *context, random_state *r, int kind)
{
    double x = random_between(r, 0.3, 1), y = random_between(r, 0.3, 1);
    double points[60];
    switch (kind) {
    case 0:
        return make_sphere(context, x);
    case 1:
        return make_box(context, 2 * x, 2 * y, 2 * random_between(r, 0.3, 1));
    case 2:
        return make_long(context, "capsule", x, 2 * y);
    case 3:
        return make_long(context, "cylinder", x, 2 * y);
    case 4:
        return make_ellipsoid(context, x, y, random_between(r, 0.3, 1));
    case 5:
        for (int i = 0; i < 20; i++)
            random_direction(r, points + 3 * i);
        return make_hull(context, 20, points);
    default:
        return make_plane(context);
    }
}

/* The largest separation, by many directions and a search around the best ones: steps that shrink. */
static double best_separation(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                              const ss_pose *pose_b, random_state *r)
{
    double best = -INFINITY, n[3], at[3];
    for (int i = 0; i < 1000; i++) {
        random_direction(r, n);
        double g = separation(a, pose_a, b, pose_b, n);
        if (g > best) {
            best = g;
            ss_copy3(n, at);
        }
    }
    for (double step = 0.1; step > 1e-7; step *= 0.8)
        for (int i = 0; i < 12; i++) {
            double t[3];
            random_direction(r, t);
            ss_along3(at, step, t, n);
            ss_unit3(n, n);
            double g = separation(a, pose_a, b, pose_b, n);
            if (g > best) {
                best = g;
                ss_copy3(n, at);
            }
        }
    return best;
}

typedef struct worst {
    double normal, surface, join, better;
    int apart, overlapping, none;
} worst;

static void check_points(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                         const ss_pose *pose_b, const touches *all, worst *w)
{
    for (int i = 0; i < all->count; i++) {
        const ss_touch *t = &all->t[i];
        double d[3];
        ss_minus3(t->b, t->a, d);
        ss_along3(d, -t->gap, t->n, d);
        w->join = fmax(w->join, ss_length3(d));
        w->join = fmax(w->join, fabs(ss_length3(t->n) - 1));
        double off_a = off_surface(a, pose_a, t->a), off_b = off_surface(b, pose_b, t->b);
        w->surface = fmax(w->surface, fmax(off_a, off_b));
        if (t == deepest(all))
            w->surface = fmax(w->surface, fmax(-off_a, -off_b));
    }
}

static void check(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                  const ss_pose *pose_b, double margin, random_state *r, worst *w)
{
    touches all = touch(a, pose_a, b, pose_b, margin);
    bool plane = !a->ops->support || !b->ops->support;
    double best = plane ? -INFINITY : best_separation(a, pose_a, b, pose_b, r);
    if (all.count == 0) {
        double n[3];
        ss_copy3((double[]){pose_a->A[2], pose_a->A[5], pose_a->A[8]}, n);
        best = plane ? separation(a, pose_a, b, pose_b, n) : best;
        assert_true(best > margin - 1e-6);
        w->none++;
        return;
    }
    const ss_touch *first = deepest(&all);
    double g = separation(a, pose_a, b, pose_b, first->n);
    w->normal = fmax(w->normal, fabs(g - first->gap));
    w->better = fmax(w->better, best - first->gap);
    first->gap < 0 ? w->overlapping++ : w->apart++;
    check_points(a, pose_a, b, pose_b, &all, w);
}

static worst check_kinds(ss_context *context, int kind_a, int kind_b, int runs, double depth)
{
    random_state r = {(uint64_t)(10 * kind_a + kind_b)};
    worst w = {0};
    for (int i = 0; i < runs; i++) {
        ss_shape *a = some_shape(context, &r, kind_a), *b = some_shape(context, &r, kind_b);
        ss_pose pose_a = random_pose(&r, 1), pose_b = random_pose(&r, 1);
        double d[3], margin = 0.2;
        if (kind_a == 6)
            ss_copy3((double[]){pose_a.A[2], pose_a.A[5], pose_a.A[8]}, d);
        else
            random_direction(&r, d);
        ss_copy3(pose_a.x, pose_b.x);
        /* to touch along d, then nearer or farther */
        double g = separation(a, &pose_a, b, &pose_b, d);
        ss_along3(pose_b.x, -g + random_between(&r, -depth, 0.3), d, pose_b.x);
        check(a, &pose_a, b, &pose_b, margin, &r, &w);
        ss_shape_destroy(context, a);
        ss_shape_destroy(context, b);
    }
    return w;
}

static void every_pair_by_definition(void **state)
{
    static const char *const names[KINDS] = {"sphere",    "box",  "capsule", "cylinder",
                                             "ellipsoid", "hull", "plane"};
    ss_context *context = new_context();
    (void)state;
    for (int i = 0; i < KINDS; i++)
        for (int k = 0; k < KINDS - 1; k++) {
            worst w = check_kinds(context, i, k, 300, 0.2);
            print_message("%9s %9s: normal %.0e surface %.0e join %.0e better %.0e (%d apart, %d "
                          "overlapping, %d not)\n",
                          names[i], names[k], w.normal, w.surface, w.join, w.better, w.apart,
                          w.overlapping, w.none);
        }
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_by_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
