/* test_points.c: the points of a shape above a plane: the lowest of them is the shape's lowest point, whatever the poses; those of
 * two meshes: the deepest is what the axes of two boxes say, and none jumps. */
#include "geometry/pairs/points.h"
#include "geometry/shapes.h"

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
            ss_contact_point contact, turned;
            assert_true(ss_shapes_place_point(plane, &below, shape, &above, k, &contact));
            assert_true(ss_shapes_place_point(shape, &above, plane, &below, k, &turned));
            least = fmin(least, contact.gap);
            assert_near(turned.gap, contact.gap, 0);
            for (int j = 0; j < 3; j++) {
                assert_near(turned.n[j], -contact.n[j], 0);
                assert_near(turned.a[j], contact.b[j], 0);
                assert_near(contact.b[j] - contact.a[j], contact.gap * contact.n[j], 1e-14);
            }
        }
        assert_near(least, gap_over(shape, &above, &below), 1e-14);
    }
    ss_shape_destroy(plane);
    ss_shape_destroy(shape);
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
    ss_contact_point contact;
    assert_int_equal(ss_shapes_points(plane, plane).count, 0);
    assert_int_equal(ss_shapes_points(ball, box).count, 1);
    assert_true(ss_shapes_points(box, box).by_feature);
    assert_true(ss_shapes_place_point(ball, &here, box, &there, 0, &contact));
    assert_near(contact.gap, 1.5, 1e-15); /* however far */
    ss_shape_destroy(plane);
    ss_shape_destroy(ball);
    ss_shape_destroy(box);
    ss_context_destroy(context);
}

/* ---- Two boxes as meshes ---- */

static double least_gap(int count, const ss_contact_point *list)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least, list[i].gap);
    return least;
}

/* How far two boxes are apart along n, of any length; -∞ along none. */
static double apart_along(const double half[2][3], const ss_pose *pose[2], const double n[3])
{
    double length = ss_length3(n), d[3];
    if (length < 1e-6)
        return -INFINITY;
    ss_minus3(pose[1]->x, pose[0]->x, d);
    double gap = fabs(ss_dot3(d, n));
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++) {
            const double *A = pose[side]->A, e[3] = {A[k], A[3 + k], A[6 + k]};
            gap -= half[side][k] * fabs(ss_dot3(e, n));
        }
    return gap / length;
}

/* By all normals of faces and all directions across two edges: the shortest way apart, negative if they overlap. */
static double apart(const double half[2][3], const ss_pose *pose[2])
{
    const double *A = pose[0]->A, *B = pose[1]->A;
    double most = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const double e[3] = {A[i], A[3 + i], A[6 + i]}, f[3] = {B[i], B[3 + i], B[6 + i]};
        most = fmax(most, fmax(apart_along(half, pose, e), apart_along(half, pose, f)));
        for (int k = 0; k < 3; k++) {
            const double other[3] = {B[k], B[3 + k], B[6 + k]};
            double n[3];
            ss_cross3(e, other, n);
            most = fmax(most, apart_along(half, pose, n));
        }
    }
    return most;
}

/* The second box comes from afar along a straight line until the two overlap by `depth`. */
static double bring_together(const double half[2][3], const ss_pose *at, const double way[3],
                             double depth, ss_pose *pose)
{
    const ss_pose *both[2] = {at, pose};
    double near = 0, far = 5;
    while (far - near > 1e-13) {
        double middle = (near + far) / 2;
        ss_along3(at->x, middle, way, pose->x);
        *(apart(half, both) > -depth ? &far : &near) = middle;
    }
    return apart(half, both);
}

/* All gaps after a small motion are near those before it, by their names; far ones may come and go. */
static void check_names(const ss_shape *a, const ss_pose *at, const ss_shape *b,
                        const ss_pose *pose, int count, const ss_contact_point *before)
{
    const double small = 1e-7;
    ss_pose other = *pose;
    ss_contact_point after[SS_POINTS_MAX];
    ss_along3(pose->x, small, (const double[]){0.6, 0, -0.8}, other.x);
    int n = ss_shapes_list_points(a, at, b, &other, SS_POINTS_MAX, after);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < n; k++)
            if (after[k].feature == before[i].feature)
                assert_near(after[k].gap, before[i].gap, 1.01 * small);
}

static void check_boxes(const double half[2][3], const ss_shape *mesh, random_state *random)
{
    const double depth = 1e-7;
    ss_contact_point list[SS_POINTS_MAX], turned[SS_POINTS_MAX];
    ss_pose at = random_pose(random, 1), pose = random_pose(random, 1);
    double way[3];
    random_direction(random, way);
    double gap = bring_together(half, &at, way, depth, &pose);
    int n = ss_shapes_list_points(&mesh[0], &at, &mesh[1], &pose, SS_POINTS_MAX, list);
    int m = ss_shapes_list_points(&mesh[1], &pose, &mesh[0], &at, SS_POINTS_MAX, turned);
    assert_near(least_gap(n, list), gap, 1e-12);
    assert_near(least_gap(m, turned), gap, 1e-12);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            assert_near(list[i].b[j] - list[i].a[j], list[i].gap * list[i].n[j], 1e-14);
    check_names(&mesh[0], &at, &mesh[1], &pose, n, list);
}

static void test_of_meshes(void **state)
{
    (void)state;
    ss_context *context = new_context();
    const double half[2][3] = {{0.5, 0.4, 0.25}, {0.35, 0.3, 0.45}};
    ss_shape *a = make_box(context, 1, 0.8, 0.5), *b = make_box(context, 0.7, 0.6, 0.9), mesh[2];
    random_state random = {11};
    assert_int_equal(ss_points_make_mesh(context, a, &mesh[0]), SS_OK);
    assert_int_equal(ss_points_make_mesh(context, b, &mesh[1]), SS_OK);
    assert_true(ss_points_need_mesh(a, &mesh[1]));
    assert_false(ss_points_need_mesh(a, b));
    assert_int_equal(ss_shapes_points(&mesh[0], &mesh[1]).count, SS_POINTS_MAX);
    assert_int_equal(ss_shapes_points(a, &mesh[1]).count, 0);
    for (int i = 0; i < 10 * POSES; i++)
        check_boxes(half, mesh, &random);
    ss_points_release_mesh(context, &mesh[0]);
    ss_points_release_mesh(context, &mesh[1]);
    ss_shape_destroy(a);
    ss_shape_destroy(b);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_over_a_plane),
        cmocka_unit_test(test_of_pairs),
        cmocka_unit_test(test_of_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
