/* test_mesh_mesh.c: meshes that contact planes and other meshes, against boxes. */
#include "meshes.h"

static void test_mesh_on_plane(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *mesh = make_box_mesh(context, 1, 0.8, 0.6, 0), *box = make_box(context, 1, 0.8, 0.6);
    ss_shape *plane = make_shape(context, "plane", NULL);
    ss_pose home = pose_at(0, 0, 0), pose = pose_at(0.3, 0.2, 0.299);
    contacts t = find(plane, &home, mesh, &pose, 0.01), b = find(plane, &home, box, &pose, 0.01);
    assert_int_equal(t.count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(holds(&t, &b.list[i], 1e-14));
    random_state r = {7};
    for (int i = 0; i < 200; i++) {
        pose = random_pose(&r, 0, 0, random_between(&r, 0.3, 0.8));
        ss_pose tilted = random_pose(&r, 0.1, 0, 0);
        t = find(mesh, &pose, plane, &tilted, 0.05);
        double lowest = INFINITY, found = INFINITY;
        for (int c = 0; c < 8; c++) {
            double p[3] = {c & 1 ? 0.5 : -0.5, c & 2 ? 0.4 : -0.4, c & 4 ? 0.3 : -0.3}, h = 0;
            for (int k = 0; k < 3; k++)
                h += tilted.A[3 * k + 2] * (pose.x[k] + dot(pose.A + 3 * k, p) - tilted.x[k]);
            lowest = fmin(lowest, h);
        }
        for (int k = 0; k < t.count; k++)
            found = fmin(found, t.list[k].gap);
        if (lowest < 0.05)
            assert_near(found, lowest, 1e-13);
        else
            assert_int_equal(t.count, 0);
    }
    ss_shape_destroy(mesh);
    ss_shape_destroy(box);
    ss_shape_destroy(plane);
    ss_context_destroy(context);
}

/* A box of triangles on a box of triangles: flat on it, overhanging, crossed like bars, on an edge, on a corner. */
static void test_mesh_on_mesh(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *big = make_box_mesh(context, 1, 1, 1, 0.1),
             *bar = make_box_mesh(context, 2, 0.2, 0.2, 0.05);
    ss_pose home = pose_at(0, 0, 0), pose = pose_at(0, 0, 0.999);
    contacts t = find(big, &home, big, &pose, 0.01);
    assert_int_equal(t.count, 4);
    for (int i = 0; i < t.count; i++) {
        assert_near(t.list[i].n[2], 1, 1e-15);
        assert_near(t.list[i].gap, -0.001, 1e-15);
        assert_near(fabs(t.list[i].a[0]), 0.5, 1e-12);
        assert_near(fabs(t.list[i].a[1]), 0.5, 1e-12);
    }
    pose = pose_at(0.95, 0.2, 0.999); /* common piece 0.05 × 0.8 */
    t = find(big, &home, big, &pose, 0.01);
    assert_int_equal(t.count, 4);
    for (int i = 0; i < t.count; i++) {
        assert_near(t.list[i].n[2], 1, 1e-15);
        assert_near(fabs(t.list[i].a[0] - 0.475), 0.025, 1e-12);
        assert_near(fabs(t.list[i].a[1] - 0.1), 0.4, 1e-12);
    }
    pose = pose_turned(pose_at(0, 0, 0.1995), (double[]){0, 0, 1},
                       1.2); /* crossed: four crossings of edges */
    t = find(bar, &home, bar, &pose, 0.01);
    assert_int_equal(t.count, 4);
    for (int i = 0; i < t.count; i++) {
        assert_near(t.list[i].n[2], 1, 1e-12);
        assert_near(t.list[i].gap, -0.0005, 1e-12);
        assert_near(fabs(t.list[i].a[1]), 0.1, 1e-12);
    }
    double angle = acos(-1.0) / 4; /* the bar on its edge: two points at the rim of the big box */
    pose = pose_turned(pose_at(0, 0, 0.5 + 0.1 * sqrt(2) - 1e-4), (double[]){1, 0, 0}, angle);
    t = find(big, &home, bar, &pose, 0.01);
    assert_int_equal(t.count, 2);
    for (int i = 0; i < t.count; i++) {
        assert_near(t.list[i].n[2], 1, 1e-12);
        assert_near(t.list[i].gap, -1e-4, 1e-12);
        assert_near(fabs(t.list[i].a[0]), 0.5, 1e-12);
    }
    ss_shape_destroy(big);
    ss_shape_destroy(bar);
    ss_context_destroy(context);
}

/* A box of triangles on a triangulated plane: its four corners, whatever triangles are below. */
static void test_mesh_on_floor(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *ground = make_ground(context, NULL), *mesh = make_box_mesh(context, 0.5, 0.3, 0.2, 0);
    ss_shape *box = make_box(context, 0.5, 0.3, 0.2), *plane = make_shape(context, "plane", NULL);
    ss_pose home = pose_at(0, 0, 0);
    random_state r = {15};
    for (int i = 0; i < 300; i++) {
        ss_pose pose = pose_at(random_between(&r, -0.65, 0.65), random_between(&r, -0.65, 0.65),
                               0.1 + random_between(&r, -0.005, 0.005));
        pose = pose_turned(pose, (double[]){0, 0, 1}, random_between(&r, -3, 3));
        contacts t = find(ground, &home, mesh, &pose, 0.01),
                 p = find(plane, &home, box, &pose, 0.01);
        assert_int_equal(t.count, 4);
        for (int k = 0; k < 4; k++) {
            assert_true(t.list[k].n[0] == 0 && t.list[k].n[1] == 0 && t.list[k].n[2] == 1);
            assert_true(holds(&t, &p.list[k], 1e-12));
        }
    }
    ss_shape_destroy(ground);
    ss_shape_destroy(mesh);
    ss_shape_destroy(box);
    ss_shape_destroy(plane);
    ss_context_destroy(context);
}

/* Two meshes of boxes that overlap, down to the thickness, are pushed along the shortest way apart of the boxes and along no
 * other. */
static void test_mesh_pairs_as_boxes(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *mesh = make_box_mesh(context, 1, 0.8, 0.6, 0.1),
             *box = make_box(context, 1, 0.8, 0.6);
    random_state r = {8};
    int met = 0;
    for (int i = 0; i < 12000; i++) {
        ss_pose at = random_pose(&r, 0, 0, 0);
        ss_pose pose = random_pose(&r, random_normal(&r), random_normal(&r), random_normal(&r));
        contacts b = find(box, &at, box, &pose, 1e-3), t = find(mesh, &at, mesh, &pose, 1e-3);
        contacts back = find(mesh, &pose, mesh, &at, 1e-3);
        int best = 0;
        bool found = false;
        assert_int_equal(t.count, back.count);
        for (int k = 0; k < t.count; k++)
            for (int c = 0; c < 3; c++) { /* exchanged: the same with n turned */
                assert_true(t.list[k].n[c] == -back.list[k].n[c]);
                assert_true(t.list[k].a[c] == back.list[k].b[c]);
            }
        for (int k = 1; k < b.count; k++)
            best = b.list[k].gap < b.list[best].gap ? k : best;
        if (b.count == 0 || b.list[best].gap < -0.099 || b.list[best].gap >= 0)
            continue;
        met++;
        for (int k = 0; k < t.count; k++)
            found |= fabs(t.list[k].gap - b.list[best].gap) < 1e-9 &&
                     dot(t.list[k].n, b.list[best].n) > 1 - 1e-9;
        assert_true(found);
        for (int k = 0; k < t.count; k++)
            assert_true(dot(t.list[k].n, b.list[best].n) > 1 - 1e-9);
    }
    assert_true(met > 500);
    ss_shape_destroy(mesh);
    ss_shape_destroy(box);
    ss_context_destroy(context);
}

/* A box that lies on a floor, a little tilted, contacts with its four corners, whether it is a mesh or a box. */
static void test_tilted_mesh(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *ground = make_ground(context, NULL), *mesh = make_box_mesh(context, 0.5, 0.3, 0.2, 0);
    ss_pose home = pose_at(0, 0, 0);
    for (int i = 0; i < 20; i++) {
        const double axis[3] = {cos(i), sin(i), 0};
        ss_pose pose = pose_turned(pose_at(0.05 * i - 0.5, 0.1, 0.095), axis, 5e-4 * i);
        contacts t = find(ground, &home, mesh, &pose, 0);
        assert_int_equal(t.count, 4);
        for (int k = 0; k < 4; k++)
            assert_true(t.list[k].n[2] == 1);
    }
    ss_shape_destroy(ground);
    ss_shape_destroy(mesh);
    ss_context_destroy(context);
}

/* In the corner of a capacity every wall pushes, however deep the others are: a mesh as well as a box. */
static void test_in_corner(void **state)
{
    (void)state;
    static const double points[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const double triangles[6][3] = {{0, 1, 2}, {0, 2, 3},  /* floor, seen from above */
                                           {0, 3, 7}, {0, 7, 4},  /* x = 0 */
                                           {0, 4, 5}, {0, 5, 1}}; /* y = 0 */
    const double gaps[3] = {-2e-3, -3e-3, -1e-3};
    ss_context *context = shapes_context();
    ss_shape *capacity = make_mesh(context, 8, points[0], 6, triangles[0], 0.1),
             *bodies[2] = {make_box_mesh(context, 0.4, 0.4, 0.4, 0.1),
                           make_box(context, 0.4, 0.4, 0.4)};
    ss_pose home = pose_at(0, 0, 0), pose = pose_at(0.2 - 2e-3, 0.2 - 3e-3, 0.2 - 1e-3);
    for (int i = 0; i < 2; i++) {
        contacts t = find(capacity, &home, bodies[i], &pose, 1e-3);
        int count[3] = {0};
        for (int k = 0; k < t.count; k++)
            for (int c = 0; c < 3; c++)
                if (t.list[k].n[c] > 1 - 1e-9) {
                    assert_near(t.list[k].gap, gaps[c], 1e-12);
                    count[c]++;
                }
        for (int c = 0; c < 3; c++)
            assert_int_equal(count[c], 4);
        assert_int_equal(t.count, 12);
        ss_shape_destroy(bodies[i]);
    }
    ss_shape_destroy(capacity);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesh_on_plane), cmocka_unit_test(test_mesh_on_mesh),
        cmocka_unit_test(test_mesh_on_floor), cmocka_unit_test(test_mesh_pairs_as_boxes),
        cmocka_unit_test(test_in_corner),     cmocka_unit_test(test_tilted_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
