/* test_mesh_contact.c: balls and convex shapes that contact a mesh, against planes, boxes and closed forms. */
#include "meshes.h"

/* A ball anywhere over a triangulated plane feels exactly the plane. */
static void test_rolling_sphere(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *ground = make_ground(context, NULL), *ball = make_sphere(context, 0.1);
    ss_pose home = pose_at(0, 0, 0);
    random_state r = {1};
    for (int i = 0; i < 4000; i++) {
        double x = random_between(&r, -0.99, 0.99), y = random_between(&r, -0.99, 0.99);
        double z = random_between(&r, -0.05, 0.12);
        if (i % 4 == 0) { /* over corners and edges of triangles exactly */
            x = 2.0 * random_below(&r, FLOOR) / FLOOR - 1 + 1e-3;
            y = -1 + 1e-12;
        }
        ss_pose pose = pose_at(x, y, z);
        contacts t = find(ground, &home, ball, &pose, 0.01);
        assert_int_equal(t.count, z - 0.1 < 0.01);
        if (t.count == 0)
            continue;
        assert_true(t.list[0].n[0] == 0 && t.list[0].n[1] == 0 && t.list[0].n[2] == 1);
        assert_near(t.list[0].gap, z - 0.1, 1e-15);
        assert_near(t.list[0].a[0], x, 1e-15);
        assert_near(t.list[0].a[1], y, 1e-15);
    }
    ss_shape_destroy(ground);
    ss_shape_destroy(ball);
    ss_context_destroy(context);
}

/* A ball that has gone through is brought back, from as deep as the thickness, which is a tenth of the diagonal. */
static void test_sphere_deep_behind(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *ground = make_ground(context, NULL), *ball = make_sphere(context, 0.1);
    ss_pose home = pose_at(0, 0, 0);
    double thickness = 0.1 * sqrt(8);
    random_state r = {14};
    for (int i = 0; i < 500; i++) {
        double z = -thickness * random_between(&r, 0.01, 1.5);
        ss_pose pose = pose_at(random_between(&r, -0.9, 0.9), random_between(&r, -0.9, 0.9), z);
        contacts t = find(ground, &home, ball, &pose, 0.01);
        assert_int_equal(t.count, -z <= thickness);
        if (t.count == 0)
            continue;
        assert_true(t.list[0].n[2] == 1);
        assert_near(t.list[0].gap, z - 0.1, 1e-15);
    }
    ss_bounds box;
    ground->ops->bounds(ground->self, &home, &box);
    assert_near(box.low[2], -thickness, 1e-12);
    ss_shape_destroy(ground);
    ss_shape_destroy(ball);
    ss_context_destroy(context);
}

/* The feature is one number all over a plane: warm starts are not lost at edges. */
static void test_feature_stays(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *ground = make_ground(context, NULL), *ball = make_sphere(context, 0.1);
    ss_pose home = pose_at(0, 0, 0), pose = pose_at(-0.9, -0.85, 0.1);
    uint32_t feature = find(ground, &home, ball, &pose, 0.01).list[0].feature;
    for (int i = 0; i < 100; i++) {
        pose.x[0] += 0.017;
        pose.x[1] += 0.016;
        assert_int_equal(find(ground, &home, ball, &pose, 0.01).list[0].feature, feature);
    }
    ss_shape_destroy(ground);
    ss_shape_destroy(ball);
    ss_context_destroy(context);
}

/* A box anywhere on a triangulated plane contacts as it contacts the plane, when it lies flat; tilted, its deepest
 * corner does, and always with the plane's normal exactly. */
static void check_box_on_floor(ss_context *context, double tilt)
{
    ss_shape *ground = make_ground(context, NULL), *box = make_box(context, 0.5, 0.3, 0.2);
    ss_shape *plane = make_shape(context, "plane", NULL);
    ss_pose home = pose_at(0, 0, 0);
    random_state r = {2};
    for (int i = 0; i < 500; i++) {
        double x = random_between(&r, -0.65, 0.65), y = random_between(&r, -0.65, 0.65);
        ss_pose pose = pose_at(x, y, 0.1 + random_between(&r, -0.01, 0.005));
        pose = pose_turned(pose, (double[]){tilt * random_normal(&r), tilt * random_normal(&r), 1},
                           random_between(&r, -3, 3));
        contacts t = find(ground, &home, box, &pose, 0.01),
                 p = find(plane, &home, box, &pose, 0.01);
        double least_t = 1, least_p = 1;
        for (int k = 0; k < t.count; k++) {
            const double *n = t.list[k].n;
            assert_true(n[0] == 0 && n[1] == 0 && n[2] == 1);
            least_t = fmin(least_t, t.list[k].gap);
        }
        for (int k = 0; k < p.count; k++)
            least_p = fmin(least_p, p.list[k].gap);
        assert_near(least_t, least_p, 1e-12);
        assert_true(t.count <= 4);
        if (tilt > 0)
            continue;
        assert_int_equal(t.count, 4);
        for (int k = 0; k < 4; k++)
            assert_true(holds(&t, &p.list[k], 1e-12));
    }
    ss_shape_destroy(ground);
    ss_shape_destroy(box);
    ss_shape_destroy(plane);
}

static void test_sliding_box(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    check_box_on_floor(context, 0);
    check_box_on_floor(context, 0.02);
    ss_context_destroy(context);
}

static ss_shape *make_round(ss_context *context, int which)
{
    static const char *const types[] = {"capsule", "cylinder", "ellipsoid"};
    ss_args *args;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    if (which == 2) {
        assert_int_equal(ss_args_set_reals(args, "axes", 3, (double[]){0.2, 0.3, 0.1}), SS_OK);
    } else {
        assert_int_equal(ss_args_set_real(args, "radius", 0.1), SS_OK);
        assert_int_equal(ss_args_set_real(args, "length", 0.3), SS_OK);
    }
    ss_shape *shape = make_shape(context, types[which], args);
    ss_args_destroy(args);
    return shape;
}

/* Round shapes in any posture feel the plane as well: its normal, and the same least gap. */
static void test_round_shapes_on_floor(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *ground = make_ground(context, NULL), *plane = make_shape(context, "plane", NULL);
    ss_pose home = pose_at(0, 0, 0);
    random_state r = {9};
    for (int which = 0; which < 3; which++) {
        ss_shape *shape = make_round(context, which);
        int met = 0;
        for (int i = 0; i < 400; i++) {
            ss_pose pose = random_pose(&r, random_between(&r, -0.5, 0.5),
                                       random_between(&r, -0.5, 0.5), random_between(&r, 0.1, 0.3));
            contacts t = find(ground, &home, shape, &pose, 0.02),
                     p = find(plane, &home, shape, &pose, 0.02);
            double least_t = 1, least_p = 1;
            for (int k = 0; k < t.count; k++) {
                assert_true(t.list[k].n[0] == 0 && t.list[k].n[1] == 0 && t.list[k].n[2] == 1);
                least_t = fmin(least_t, t.list[k].gap);
            }
            for (int k = 0; k < p.count; k++)
                least_p = fmin(least_p, p.list[k].gap);
            if (least_p > -0.1)
                assert_near(least_t, least_p, 1e-9);
            met += p.count > 0;
        }
        assert_true(met > 50);
        ss_shape_destroy(shape);
    }
    ss_shape_destroy(ground);
    ss_shape_destroy(plane);
    ss_context_destroy(context);
}

static double saddle(double x, double y)
{
    return 0.3 * x * x - 0.2 * y * y + 0.1 * x * y;
}

/* The distance of a point from a triangle by brute force: a fine grid of its points. */
static double grid_distance(const double *p, const double *q, const double *r, const double c[3])
{
    enum { N = 60 };
    double least = INFINITY;
    for (int i = 0; i <= N; i++)
        for (int k = 0; k <= N - i; k++) {
            double d[3];
            for (int j = 0; j < 3; j++)
                d[j] = c[j] - (p[j] + (q[j] - p[j]) * i / N + (r[j] - p[j]) * k / N);
            least = fmin(least, dot(d, d));
        }
    return sqrt(least);
}

/* The smallest gap of a ball above curved ground is its distance from all the triangles. */
static void test_sphere_distance(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *ground = make_ground(context, saddle), *ball = make_sphere(context, 0.2);
    ss_triangles all;
    random_state r = {4};
    assert_int_equal(ground->ops->triangles(ground->self, context, &all), SS_OK);
    for (int i = 0; i < 60; i++) {
        double x = random_between(&r, -0.7, 0.7), y = random_between(&r, -0.7, 0.7);
        double c[3] = {x, y, saddle(x, y) + random_between(&r, 0.05, 0.3)}, least = INFINITY,
               found = INFINITY;
        for (int k = 0; k < all.n_triangles; k++)
            least = fmin(least, grid_distance(all.points + 3 * all.corners[3 * k],
                                              all.points + 3 * all.corners[3 * k + 1],
                                              all.points + 3 * all.corners[3 * k + 2], c));
        ss_pose pose = random_pose(&r, 1, 2, 3), at = pose;
        for (int k = 0; k < 3; k++)
            at.x[k] += dot(pose.A + 3 * k, c);
        contacts t = find(ground, &pose, ball, &at, 0.2);
        for (int k = 0; k < t.count; k++)
            found = fmin(found, t.list[k].gap);
        assert_true(t.count > 0);
        assert_near(found, least - 0.2, 2e-4); /* the grid's points are not all points */
    }
    ss_release(context, all.points);
    ss_release(context, all.corners);
    ss_shape_destroy(ground);
    ss_shape_destroy(ball);
    ss_context_destroy(context);
}

/* A ball in a valley contacts both walls; from behind it is pushed out. */

static void test_sphere_in_valley(void **state)
{
    (void)state;
    static const double points[6][3] = {{-1, -1, 1}, {0, -1, 0}, {1, -1, 1},
                                        {-1, 1, 1},  {0, 1, 0},  {1, 1, 1}};
    static const double triangles[4][3] = {{0, 1, 3}, {1, 4, 3}, {1, 2, 4}, {2, 5, 4}};
    ss_context *context = shapes_context();
    ss_shape *valley = make_mesh(context, 6, points[0], 4, triangles[0], 0.5);
    ss_shape *ball = make_sphere(context, 0.1);
    ss_pose home = pose_at(0, 0, 0), pose = pose_at(0.01, 0.1, 0.14);
    contacts t = find(valley, &home, ball, &pose, 0.01);
    assert_int_equal(t.count, 2);
    for (int i = 0; i < 2; i++) {
        double side = t.list[i].n[0] > 0 ? 1 : -1; /* walls at 45° */
        assert_near(fabs(t.list[i].n[0]), sqrt(0.5), 1e-15);
        assert_near(t.list[i].n[2], sqrt(0.5), 1e-15);
        assert_near(t.list[i].gap, sqrt(0.5) * (0.14 + side * 0.01) - 0.1, 1e-15);
    }
    pose = pose_at(0.02, 0.1, -0.1); /* below the bottom: both walls push */
    t = find(valley, &home, ball, &pose, 0.01);
    assert_int_equal(t.count, 2);
    assert_true(t.list[0].n[2] > 0 && t.list[1].n[2] > 0);
    ss_shape_destroy(valley);
    ss_shape_destroy(ball);
    ss_context_destroy(context);
}

/* A closed mesh of a box and the box itself: a ball outside, at faces, edges and corners, or not deep inside. */
static void test_sphere_on_box(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *mesh = make_box_mesh(context, 1, 0.8, 0.6, 0.2),
             *box = make_box(context, 1, 0.8, 0.6);
    ss_shape *ball = make_sphere(context, 0.15);
    random_state r = {5};
    int met = 0;
    for (int i = 0; i < 3000; i++) {
        double x = random_between(&r, -0.7, 0.7), y = random_between(&r, -0.7, 0.7);
        double z = random_between(&r, -0.7, 0.7);
        double depth = fmin(0.5 - fabs(x), fmin(0.4 - fabs(y), 0.3 - fabs(z)));
        if (depth > 0.15)
            continue;
        ss_pose at = random_pose(&r, 0, 0, 0), pose = pose_at(0, 0, 0);
        for (int k = 0; k < 3; k++)
            pose.x[k] = dot(at.A + 3 * k, (double[]){x, y, z});
        contacts t = find(mesh, &at, ball, &pose, 0.02), b = find(box, &at, ball, &pose, 0.02);
        assert_int_equal(t.count, b.count);
        met += t.count;
        if (t.count)
            assert_true(holds(&t, &b.list[0], 1e-12));
    }
    assert_true(met > 500);
    ss_shape_destroy(mesh);
    ss_shape_destroy(box);
    ss_shape_destroy(ball);
    ss_context_destroy(context);
}

/* Convex shapes on the mesh of a box and on the box: the same least gap, as long as they hardly overlap. */
static void test_convex_on_box(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *mesh = make_box_mesh(context, 1, 0.8, 0.6, 0.2),
             *box = make_box(context, 1, 0.8, 0.6);
    ss_shape *other = make_box(context, 0.3, 0.4, 0.5);
    random_state r = {6};
    int met = 0;
    for (int i = 0; i < 4000; i++) {
        ss_pose at = random_pose(&r, 0, 0, 0);
        ss_pose pose = random_pose(&r, random_normal(&r), random_normal(&r), random_normal(&r));
        for (int k = 0; k < 3; k++)
            pose.x[k] *= 0.5;
        contacts t = find(mesh, &at, other, &pose, 0.05), b = find(box, &at, other, &pose, 0.05);
        double least_t = 1, least_b = 1;
        for (int k = 0; k < t.count; k++)
            least_t = fmin(least_t, t.list[k].gap);
        for (int k = 0; k < b.count; k++)
            least_b = fmin(least_b, b.list[k].gap);
        if (b.count == 0) {
            assert_int_equal(t.count, 0);
            continue;
        }
        if (least_b < -0.01)
            continue;
        met++;
        assert_near(least_t, least_b, 1e-9);
    }
    assert_true(met > 50);
    ss_shape_destroy(mesh);
    ss_shape_destroy(box);
    ss_shape_destroy(other);
    ss_context_destroy(context);
}

/* In the corner of a capacity a box contacts the floor and two walls, each with four points; a ball in it three. */
static void test_capacity(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *solid = make_box_mesh(context, 4, 4, 4, 0.5), *box = make_box(context, 1, 1, 1);
    ss_shape *ball = make_sphere(context, 0.5);
    ss_triangles all;
    double triangles[12][3];
    ss_args *args;
    assert_int_equal(solid->ops->triangles(solid->self, context, &all), SS_OK);
    for (int i = 0; i < 36; i++)
        triangles[i / 3][i % 3] = all.corners[i];
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_matrix(args, "points", 8, 3, all.points), SS_OK);
    assert_int_equal(ss_args_set_matrix(args, "triangles", 12, 3, triangles[0]), SS_OK);
    assert_int_equal(ss_args_set_text(args, "inside", "true"), SS_OK);
    ss_shape *capacity = make_shape(context, "mesh", args);
    ss_pose home = pose_at(0, 0, 0);
    for (int corner = 0; corner < 8; corner++) {
        double side[3] = {corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1};
        ss_pose pose = pose_at(side[0] * 1.501, side[1] * 1.502, side[2] * 1.503);
        contacts t = find(capacity, &home, box, &pose, 0.01);
        int met[3] = {0};
        assert_int_equal(t.count, 12);
        for (int i = 0; i < t.count; i++)
            for (int k = 0; k < 3; k++)
                if (t.list[i].n[k] == -side[k]) {
                    met[k]++;
                    assert_near(t.list[i].gap, -0.001 * (k + 1), 1e-12);
                }
        assert_true(met[0] == 4 && met[1] == 4 && met[2] == 4);
        t = find(capacity, &home, ball, &pose, 0.01);
        assert_int_equal(t.count, 3);
        for (int i = 0; i < 3; i++)
            assert_true(t.list[i].gap < 0);
    }
    ss_args_destroy(args);
    ss_release(context, all.points);
    ss_release(context, all.corners);
    ss_shape_destroy(solid);
    ss_shape_destroy(capacity);
    ss_shape_destroy(box);
    ss_shape_destroy(ball);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rolling_sphere),   cmocka_unit_test(test_sphere_deep_behind),
        cmocka_unit_test(test_feature_stays),    cmocka_unit_test(test_sliding_box),
        cmocka_unit_test(test_sphere_distance),  cmocka_unit_test(test_round_shapes_on_floor),
        cmocka_unit_test(test_sphere_in_valley), cmocka_unit_test(test_sphere_on_box),
        cmocka_unit_test(test_convex_on_box),    cmocka_unit_test(test_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
