/* test_convex.c: convex things by their farthest points: triangles against brute force, and depths against libccd. */
#include "geometry/pairs/convex.h"
#include "geometry/pairs/minkowski.h"
#include "geometry/shapes.h"

#include <ccd/ccd.h>

static ss_convex triangle_of(const ss_triangle *t, const ss_pose *pose, double radius)
{
    return (ss_convex){t, pose, ss_triangle_support, ss_triangle_face, radius};
}

static void random_triangle(random_state *r, double reach_, ss_triangle *t)
{
    for (int i = 0; i < 9; i++)
        t->corners[i / 3][i % 3] = random_between(r, -reach_, reach_);
}

/* The distance from a point to a triangle, by its regions. */
static double point_triangle(const double p[3], const ss_triangle *t)
{
    double n[3], e[3], f[3], d[3], least = INFINITY;
    ss_minus3(t->corners[1], t->corners[0], e);
    ss_minus3(t->corners[2], t->corners[0], f);
    ss_cross3(e, f, n);
    ss_unit3(n, n);
    bool over = true;
    for (int i = 0; i < 3; i++) {
        const double *q = t->corners[i];
        ss_minus3(t->corners[(i + 1) % 3], q, e);
        ss_minus3(p, q, d);
        ss_cross3(e, d, f);
        over = over && ss_dot3(f, n) >= 0;
        double s = fmin(fmax(ss_dot3(d, e) / ss_dot3(e, e), 0), 1);
        ss_along3(d, -s, e, d);
        least = fmin(least, ss_length3(d));
    }
    ss_minus3(p, t->corners[0], d);
    return over ? fabs(ss_dot3(n, d)) : least;
}

static double segment_segment(const double p[3], const double q[3], const double u[3],
                              const double v[3])
{
    double e[3], f[3], d[3], least = INFINITY;
    ss_minus3(q, p, e);
    ss_minus3(v, u, f);
    ss_minus3(u, p, d);
    double ee = ss_dot3(e, e), ff = ss_dot3(f, f), ef = ss_dot3(e, f), ed = ss_dot3(e, d),
           fd = ss_dot3(f, d), det = ee * ff - ef * ef;
    double s = (ed * ff - ef * fd) / det, t = (ed * ef - ee * fd) / det;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
        ss_along3(d, t, f, d);
        ss_along3(d, -s, e, d);
        least = ss_length3(d);
    }
    return least;
}

static bool pierces(const double p[3], const double q[3], const ss_triangle *t)
{
    double e[3], f[3], n[3], d[3], x[3];
    ss_minus3(t->corners[1], t->corners[0], e);
    ss_minus3(t->corners[2], t->corners[0], f);
    ss_cross3(e, f, n);
    ss_minus3(q, p, d);
    ss_minus3(t->corners[0], p, x);
    double s = ss_dot3(n, x) / ss_dot3(n, d);
    ss_along3(p, s, d, x);
    return s >= 0 && s <= 1 && point_triangle(x, t) < 1e-12;
}

/* All corners with all sides, all edges with all edges; 0 when an edge goes through. */
static double triangle_triangle(const ss_triangle *a, const ss_triangle *b)
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double *p = a->corners[i], *q = a->corners[(i + 1) % 3];
        least = fmin(least, fmin(point_triangle(p, b), point_triangle(b->corners[i], a)));
        if (pierces(p, q, b) || pierces(b->corners[i], b->corners[(i + 1) % 3], a))
            return 0;
        for (int k = 0; k < 3; k++)
            least = fmin(least, segment_segment(p, q, b->corners[k], b->corners[(k + 1) % 3]));
    }
    return least;
}

static void triangles_by_brute_force(void **state)
{
    random_state r = {1};
    ss_pose here = pose_at(0, 0, 0);
    int apart = 0, crossing = 0;
    (void)state;
    for (int run = 0; run < 20000; run++) {
        ss_triangle a, b;
        ss_contact_point t;
        random_triangle(&r, 1, &a);
        random_triangle(&r, 1, &b);
        double exact = triangle_triangle(&a, &b), thick = random_between(&r, 0, 0.1);
        ss_convex A = triangle_of(&a, &here, thick), B = triangle_of(&b, &here, 0.01);
        assert_true(ss_convex_distance(&A, &B, 100, &t));
        if (exact > 0) {
            assert_near(t.gap, exact - thick - 0.01, 1e-12);
            apart++;
        } else {
            assert_true(t.gap < 1e-12 - thick - 0.01);
            crossing++;
        }
        assert_int_equal(ss_convex_distance(&A, &B, t.gap - 1e-9, &t), false);
    }
    assert_true(apart > 1000 && crossing > 1000);
}

/* A ball on a triangle: face, edges and corners; the normal from either side. */
static void ball_on_triangle(void **state)
{
    random_state r = {2};
    ss_pose here = pose_at(0, 0, 0);
    ss_context *context = new_context();
    ss_shape *ball = make_sphere(context, 0.3);
    (void)state;
    for (int run = 0; run < 20000; run++) {
        ss_triangle a;
        ss_contact_point t;
        random_triangle(&r, 1, &a);
        ss_pose pose = random_pose(&r, 1.5);
        ss_convex A = triangle_of(&a, &here, 0), B = ss_shape_convex(ball, &pose);
        assert_true(ss_convex_distance(&A, &B, 100, &t));
        assert_near(t.gap, point_triangle(pose.x, &a) - 0.3, 1e-13);
        assert_true(point_triangle(t.a, &a) < 1e-13);
    }
    ss_shape_destroy(ball);
    ss_context_destroy(context);
}

/* A box on a triangle that holds it: four points; two when it hangs over the edge by half. */
static void box_on_triangle(void **state)
{
    ss_context *context = new_context();
    ss_shape *box = make_box(context, 1, 1, 1);
    ss_triangle a = {{{-5, -5, 0}, {5, -5, 0}, {0, 9, 0}}};
    ss_pose here = pose_at(0, 0, 0), pose = pose_at(0.1, 0.2, 0.499);
    ss_convex A = triangle_of(&a, &here, 0), B = ss_shape_convex(box, &pose);
    ss_contact_point contacts_[SS_CONTACT_POINTS_MAX];
    (void)state;
    int count = ss_convex_collide(&A, &B, 0.01, contacts_);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) {
        assert_near(contacts_[i].gap, -0.001, 1e-15);
        assert_near(contacts_[i].n[2], 1, 1e-15);
    }
    pose.x[1] = -5.1;
    count = ss_convex_collide(&A, &B, 0.01, contacts_);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(contacts_[i].a[1] > -5 - 1e-12 && contacts_[i].a[1] < -4.6 + 1e-12);
    ss_shape_destroy(box);
    ss_context_destroy(context);
}

typedef struct placed {
    const ss_shape *shape;
    const ss_pose *pose;
} placed;

static void ccd_support(const void *object, const ccd_vec3_t *d, ccd_vec3_t *p)
{
    const placed *o = object;
    double e[3];
    ss_pose_rotate_back(o->pose, d->v, e);
    o->shape->ops->support(o->shape->self, e, p->v);
    ss_pose_point(o->pose, (double[]){p->v[0], p->v[1], p->v[2]}, p->v);
}

/* libccd's expanding polytope finds no way out that is shorter than ours. */
static void depths_against_libccd(void **state)
{
    ss_context *context = new_context();
    random_state r = {3};
    double points[60];
    int compared = 0;
    (void)state;
    for (int i = 0; i < 20; i++)
        random_direction(&r, points + 3 * i);
    ss_shape *shapes[] = {make_box(context, 1, 1.4, 0.8), make_long(context, "cylinder", 0.5, 1.2),
                          make_ellipsoid(context, 0.5, 0.8, 0.6), make_hull(context, 20, points)};
    for (int run = 0; run < 2000; run++) {
        const ss_shape *a = shapes[random_below(&r, 4)], *b = shapes[random_below(&r, 4)];
        ss_pose pose_a = random_pose(&r, 0.4), pose_b = random_pose(&r, 0.4);
        placed first = {a, &pose_a}, second = {b, &pose_b};
        ccd_t ccd;
        ccd_real_t depth;
        ccd_vec3_t direction, position;
        CCD_INIT(&ccd);
        ccd.support1 = ccd.support2 = ccd_support;
        ccd.max_iterations = 200;
        ccd.epa_tolerance = 1e-6;
        contacts all = contact(a, &pose_a, b, &pose_b, 0);
        int code = ccdGJKPenetration(&first, &second, &ccd, &depth, &direction, &position);
        if (code != 0 || all.count == 0)
            continue;
        ss_unit3(direction.v, direction.v);
        double way_out = -separation(a, &pose_a, b, &pose_b, direction.v);
        assert_true(-deepest(&all)->gap <= way_out + 1e-9);
        assert_true(depth <= way_out + 1e-9);
        compared++;
    }
    assert_true(compared > 1000);
    for (int i = 0; i < 4; i++)
        ss_shape_destroy(shapes[i]);
    ss_context_destroy(context);
}

/* The portal's way out is one, and after refinement as short as the shortest where they overlap a little. */
static void portal_is_a_way_out(void **state)
{
    ss_context *context = new_context();
    ss_shape *a = make_box(context, 1, 1, 1), *b = make_ellipsoid(context, 0.5, 0.5, 0.5);
    random_state r = {4};
    (void)state;
    for (int run = 0; run < 500; run++) {
        ss_pose low = random_pose(&r, 1), high = random_pose(&r, 1);
        ss_convex A = ss_shape_convex(a, &low), B = ss_shape_convex(b, &high);
        ss_difference C = {&A, &B, {0}};
        ss_simplex s;
        double n[3], d[3], gap;
        random_direction(&r, d);
        ss_copy3(low.x, high.x);
        ss_along3(high.x, -0.01 - separation(a, &low, b, &high, d), d, high.x);
        ss_minus3(high.x, low.x, C.offset);
        contacts all = contact(a, &low, b, &high, 0);
        assert_int_equal(ss_mpr(&C, &s, n), all.count > 0);
        if (all.count == 0)
            continue;
        assert_near(ss_length3(n), 1, 1e-14);
        ss_refine(&C, &s, n, &gap);
        assert_near(gap, separation(a, &low, b, &high, n), 1e-12);
        assert_true(gap <= deepest(&all)->gap + 1e-12);
    }
    ss_shape_destroy(a);
    ss_shape_destroy(b);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_by_brute_force), cmocka_unit_test(ball_on_triangle),
        cmocka_unit_test(box_on_triangle),          cmocka_unit_test(depths_against_libccd),
        cmocka_unit_test(portal_is_a_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
