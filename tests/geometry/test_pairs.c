/* test_pairs.c: every pair of shapes against the definition of their distance: at the normal n that is reported the
 * planes across n that hold the shapes apart are `gap` apart, and there are points of both with that distance; no
 * other direction does better. */
#include "geometry/shapes.h"

enum { KINDS = 7 };

/* Lengths between thin * size and size. */
static ss_shape *any_shape(ss_context *context, random_state *r, int kind, double thin, double size)
{
    double x = size * random_log(r, thin, 1), y = size * random_log(r, thin, 1);
    double z = size * random_log(r, thin, 1), points[60];
    switch (kind) {
    case 0:
        return make_sphere(context, x);
    case 1:
        return make_box(context, 2 * x, 2 * y, 2 * z);
    case 2:
        return make_long(context, "capsule", x, 2 * y);
    case 3:
        return make_long(context, "cylinder", x, 2 * y);
    case 4:
        return make_ellipsoid(context, x, y, z);
    case 5:
        for (int i = 0; i < 20; i++) {
            double *p = points + 3 * i;
            random_direction(r, p);
            ss_copy3((double[]){x * p[0], y * p[1], z * p[2]}, p);
        }
        return make_hull(context, 20, points);
    default:
        return make_plane(context);
    }
}

static ss_shape *some_shape(ss_context *context, random_state *r, int kind)
{
    return any_shape(context, r, kind, 0.3, 1);
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
                         const ss_pose *pose_b, const contacts *all, worst *w)
{
    for (int i = 0; i < all->count; i++) {
        const ss_contact_point *t = &all->t[i];
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
    contacts all = contact(a, pose_a, b, pose_b, margin);
    bool plane = !a->ops->support || !b->ops->support;
    double best = plane ? -INFINITY : best_separation(a, pose_a, b, pose_b, r);
    if (all.count == 0) { /* then they are as far apart as that */
        w->none++;
        all = contact(a, pose_a, b, pose_b, 100 * margin);
        assert_true(all.count > 0 && deepest(&all)->gap >= margin);
    }
    const ss_contact_point *first = deepest(&all);
    double g = separation(a, pose_a, b, pose_b, first->n);
    w->normal = fmax(w->normal, fabs(g - first->gap));
    w->better = fmax(w->better, best - first->gap);
    first->gap < 0 ? w->overlapping++ : w->apart++;
    check_points(a, pose_a, b, pose_b, &all, w);
}

static worst check_kinds(ss_context *context, int kind_a, int kind_b, int runs, double thin,
                         double size)
{
    random_state r = {(uint64_t)(10 * kind_a + kind_b)};
    worst w = {0};
    for (int i = 0; i < runs; i++) {
        ss_shape *a = any_shape(context, &r, kind_a, thin, size);
        ss_shape *b = any_shape(context, &r, kind_b, thin, size);
        ss_pose pose_a = random_pose(&r, size), pose_b = random_pose(&r, size);
        double d[3], depth = 0.2 * thin * size;
        if (kind_a == 6)
            ss_copy3((double[]){pose_a.A[2], pose_a.A[5], pose_a.A[8]}, d);
        else
            random_direction(&r, d);
        ss_copy3(pose_a.x, pose_b.x);
        /* to contact along d, then nearer or farther */
        double g = separation(a, &pose_a, b, &pose_b, d);
        ss_along3(pose_b.x, -g + random_between(&r, -3 * depth, 5 * depth), d, pose_b.x);
        check(a, &pose_a, b, &pose_b, 3 * depth, &r, &w);
        ss_shape_destroy(a);
        ss_shape_destroy(b);
    }
    return w;
}

static bool closed_form(int i, int k)
{
    return i == 6 || (i == 0 && k <= 4) || (k == 0 && i <= 4) || (i == k && i <= 2);
}

static void every_pair_by_definition(void **state)
{
    static const char *const names[KINDS] = {"sphere",    "box",  "capsule", "cylinder",
                                             "ellipsoid", "hull", "plane"};
    ss_context *context = new_context();
    (void)state;
    for (int i = 0; i < KINDS; i++)
        for (int k = 0; k < KINDS - 1; k++) {
            worst w = check_kinds(context, i, k, 300, 0.3, 1);
            print_message("%9s %9s: gap %.0e, surface %.0e\n", names[i], names[k], w.normal,
                          w.surface);
            assert_true(w.apart > 30 && w.overlapping > 20);
            assert_true(w.join < 1e-14);
            assert_true(w.better < 1e-12);
            assert_true(w.normal < (closed_form(i, k) ? 2e-14 : 1e-12));
            assert_true(w.surface < (closed_form(i, k) ? 2e-14 : 1e-10));
        }
    ss_context_destroy(context);
}

/* Plates, needles and all between, from a millimetre to kilometres. */
static void thin_shapes_of_all_sizes(void **state)
{
    static const double sizes[] = {1e-3, 1, 1e3};
    ss_context *context = new_context();
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < KINDS; i++)
            for (int k = 0; k < KINDS - 1; k++) {
                worst w = check_kinds(context, i, k, 50, 0.01, sizes[m]);
                assert_true(w.join < 1e-14 * fmax(1, sizes[m]));
                assert_true(w.better < 1e-12 * sizes[m]);
                assert_true(w.normal < 1e-9 * sizes[m]);
                assert_true(w.surface < 1e-8 * sizes[m]);
            }
    ss_context_destroy(context);
}

static bool same_contact(const ss_contact_point *s, const ss_contact_point *t, double sign,
                         double tolerance)
{
    bool same = fabs(s->gap - t->gap) <= tolerance;
    for (int k = 0; k < 3; k++) {
        same = same && fabs(s->n[k] - sign * t->n[k]) <= tolerance;
        same = same && fabs(s->a[k] - (sign < 0 ? t->b[k] : t->a[k])) <= tolerance;
    }
    return same;
}

/* Each of the one is among the other. */
static void assert_same(const contacts *one, const contacts *other, double sign, double tolerance)
{
    assert_int_equal(one->count, other->count);
    for (int i = 0; i < one->count; i++) {
        bool found = false;
        for (int k = 0; k < other->count; k++)
            found = found || same_contact(&one->t[i], &other->t[k], sign, tolerance);
        assert_true(found);
    }
}

static bool near_rest(ss_context *context, random_state *r, int i, int k, ss_shape *shapes[2],
                      ss_pose poses[2])
{
    double d[3];
    shapes[0] = some_shape(context, r, i);
    shapes[1] = some_shape(context, r, k);
    poses[0] = random_pose(r, 1);
    poses[1] = random_pose(r, 1);
    ss_copy3((double[]){poses[0].A[2], poses[0].A[5], poses[0].A[8]}, d);
    ss_copy3(poses[0].x, poses[1].x);
    double g = separation(shapes[0], &poses[0], shapes[1], &poses[1], d);
    ss_along3(poses[1].x, -g + random_between(r, -0.1, 0.1), d, poses[1].x);
    return contact(shapes[0], &poses[0], shapes[1], &poses[1], 0.01).count > 0;
}

static void exchanged_shapes_contact_alike(void **state)
{
    ss_context *context = new_context();
    random_state r = {3};
    int found = 0;
    (void)state;
    for (int run = 0; run < 2000; run++) {
        ss_shape *s[2];
        ss_pose p[2];
        if (near_rest(context, &r, random_below(&r, KINDS), random_below(&r, KINDS - 1), s, p)) {
            contacts one = contact(s[0], &p[0], s[1], &p[1], 0.01);
            contacts other = contact(s[1], &p[1], s[0], &p[0], 0.01);
            assert_same(&one, &other, -1, 1e-5);
            found++;
        }
        ss_shape_destroy(s[0]);
        ss_shape_destroy(s[1]);
    }
    assert_true(found > 500);
    ss_context_destroy(context);
}

static void moved_shapes_contact_alike(void **state)
{
    ss_context *context = new_context();
    random_state r = {4};
    (void)state;
    for (int run = 0; run < 2000; run++) {
        ss_shape *s[2];
        ss_pose p[2], motion = random_pose(&r, 10);
        near_rest(context, &r, random_below(&r, KINDS), random_below(&r, KINDS - 1), s, p);
        contacts one = contact(s[0], &p[0], s[1], &p[1], 0.01);
        for (int i = 0; i < one.count; i++) {
            ss_pose_rotate(&motion, one.t[i].n, one.t[i].n);
            ss_pose_point(&motion, (double[]){one.t[i].a[0], one.t[i].a[1], one.t[i].a[2]},
                          one.t[i].a);
        }
        ss_pose q[2] = {moved(&motion, &p[0]), moved(&motion, &p[1])};
        contacts other = contact(s[0], &q[0], s[1], &q[1], 0.01);
        assert_same(&one, &other, 1, 1e-5);
        ss_shape_destroy(s[0]);
        ss_shape_destroy(s[1]);
    }
    ss_context_destroy(context);
}

/* The signed distance of two shapes changes by no more than one of them moves. */
static void gaps_are_continuous(void **state)
{
    ss_context *context = new_context();
    random_state r = {5};
    (void)state;
    for (int run = 0; run < 2000; run++) {
        ss_shape *s[2];
        ss_pose p[2];
        double d[3];
        if (near_rest(context, &r, random_below(&r, KINDS), random_below(&r, KINDS - 1), s, p)) {
            contacts before = contact(s[0], &p[0], s[1], &p[1], 1);
            double step = random_log(&r, 1e-12, 1e-3);
            random_direction(&r, d);
            ss_along3(p[1].x, step, d, p[1].x);
            contacts after = contact(s[0], &p[0], s[1], &p[1], 1);
            assert_true(after.count > 0);
            assert_true(fabs(deepest(&after)->gap - deepest(&before)->gap) <= step + 1e-9);
        }
        ss_shape_destroy(s[0]);
        ss_shape_destroy(s[1]);
    }
    ss_context_destroy(context);
}

/* Moved along the normal until they just contact, overlap or miss by next to nothing: the gap is what it should be,
 * and the normal stays. */
static void just_touching_is_exact(void **state)
{
    static const double gaps[] = {1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14, 0};
    ss_context *context = new_context();
    random_state r = {6};
    (void)state;
    for (int run = 0; run < 2000; run++) {
        ss_shape *s[2];
        ss_pose p[2];
        int i = random_below(&r, KINDS), k = random_below(&r, KINDS - 1);
        bool near = near_rest(context, &r, i, k, s, p);
        contacts first = contact(s[0], &p[0], s[1], &p[1], 1);
        const ss_contact_point start = *deepest(&first);
        double x[3], d[3];
        ss_along3(p[1].x, -start.gap, start.n, x);
        for (int m = 0; near && m < 16; m++) {
            double gap = (m % 2 ? -1 : 1) * gaps[m / 2];
            ss_along3(x, gap, start.n, p[1].x);
            contacts now = contact(s[0], &p[0], s[1], &p[1], 1e-3);
            assert_true(now.count > 0);
            assert_near(deepest(&now)->gap, gap, 1e-12);
            ss_minus3(deepest(&now)->n, start.n, d);
            assert_true(ss_length3(d) < 1e-10);
        }
        ss_shape_destroy(s[0]);
        ss_shape_destroy(s[1]);
    }
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_by_definition),
        cmocka_unit_test(thin_shapes_of_all_sizes),
        cmocka_unit_test(exchanged_shapes_contact_alike),
        cmocka_unit_test(moved_shapes_contact_alike),
        cmocka_unit_test(gaps_are_continuous),
        cmocka_unit_test(just_touching_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
