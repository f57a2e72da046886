/* test_points.c: the points of a shape above a plane: the lowest of them is the shape's lowest point, whatever the poses. */
#include "contact/points.h"
#include "contact/shapes.h"

enum { POSES = 200 };

/* The gap of a convex shape over a plane, by its farthest point into the plane. */
static double gap_over(const ss_shape *shape, const ss_pose *pose, const ss_pose *plane)
{
    double n[3] = {plane->A[2], plane->A[5], plane->A[8]}, down[3], p[3], x[3];
    ss_pose_rotate_back(pose, n, down);
    ss_scale3(-1, down, down);
    shape->ops->support(shape->self, down, p);
    ss_pose_point(pose, p, x);
    ss_minus3(x, plane->x, x);
    return ss_dot3(n, x) - (shape->ops->radius ? shape->ops->radius(shape->self) : 0);
}

static void check_shape(ss_context *context, ss_shape *shape, int count, random_state *random)
{
    ss_shape *plane = make_plane(context);
    assert_int_equal(ss_shapes_points(plane, shape).count, count);
    assert_false(ss_shapes_points(shape, plane).by_feature);
    for (int i = 0; i < POSES; i++) {
        ss_pose below = random_pose(random, 1), above = random_pose(random, 1);
        double least = INFINITY;
        for (int k = 0; k < count; k++) {
            ss_touch touch, turned;
            assert_true(ss_shapes_place_point(plane, &below, shape, &above, k, &touch));
            assert_true(ss_shapes_place_point(shape, &above, plane, &below, k, &turned));
            least = fmin(least, touch.gap);
            assert_near(turned.gap, touch.gap, 0);
            for (int j = 0; j < 3; j++) {
                assert_near(turned.n[j], -touch.n[j], 0);
                assert_near(turned.a[j], touch.b[j], 0);
                assert_near(touch.b[j] - touch.a[j], touch.gap * touch.n[j], 1e-14);
            }
        }
        assert_near(least, gap_over(shape, &above, &below), 1e-14);
    }
    ss_shape_destroy(context, plane);
    ss_shape_destroy(context, shape);
}

static void test_over_a_plane(void **state)
{
    (void)state;
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    ss_context *context = new_context();
    random_state random = {7};
    check_shape(context, make_sphere(context, 0.3), 1, &random);
    check_shape(context, make_ellipsoid(context, 0.3, 0.2, 0.5), 1, &random);
    check_shape(context, make_long(context, "capsule", 0.1, 0.6), 2, &random);
    check_shape(context, make_box(context, 0.3, 0.4, 0.5), 8, &random);
    check_shape(context, make_long(context, "cylinder", 0.2, 0.3), 8, &random);
    check_shape(context, make_hull(context, 5, corners), 5, &random);
    ss_context_destroy(context);
}

static void test_of_pairs(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_shape *plane = make_plane(context), *ball = make_sphere(context, 1),
             *box = make_box(context, 1, 1, 1);
    ss_pose here = pose_at(0, 0, 0), there = pose_at(0, 0, 3);
    ss_touch touch;
    assert_int_equal(ss_shapes_points(plane, plane).count, 0);
    assert_int_equal(ss_shapes_points(ball, box).count, 1);
    assert_true(ss_shapes_points(box, box).by_feature);
    assert_true(ss_shapes_place_point(ball, &here, box, &there, 0, &touch));
    assert_near(touch.gap, 1.5, 1e-15); /* however far */
    ss_shape_destroy(context, plane);
    ss_shape_destroy(context, ball);
    ss_shape_destroy(context, box);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_over_a_plane),
        cmocka_unit_test(test_of_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
