/* test_manifold.c: the points where flat sides, edges and lines meet: complete, and the same from step to step. */
#include "geometry/shapes.h"

/* Is there a contact at (x, y) with this gap? The other coordinate is along z. */
static bool has(const contacts *all, double x, double y, double gap)
{
    for (int i = 0; i < all->count; i++) {
        const ss_contact_point *t = &all->t[i];
        if (fabs(t->a[0] - x) < 1e-12 && fabs(t->a[1] - y) < 1e-12 && fabs(t->gap - gap) < 1e-12)
            return true;
    }
    return false;
}

static void assert_features_differ(const contacts *all)
{
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < i; k++)
            assert_int_not_equal(all->t[i].feature, all->t[k].feature);
}

static void assert_normals(const contacts *all, double x, double y, double z, double tolerance)
{
    for (int i = 0; i < all->count; i++) {
        assert_near(all->t[i].n[0], x, tolerance);
        assert_near(all->t[i].n[1], y, tolerance);
        assert_near(all->t[i].n[2], z, tolerance);
    }
}

static void box_on_plane_has_four_corners(void **state)
{
    ss_context *context = new_context();
    ss_shape *plane = make_plane(context), *box = make_box(context, 2, 4, 1);
    ss_pose ground = pose_at(0, 0, 0), pose = pose_at(3, 0, 0.499);
    (void)state;
    contacts all = contact(plane, &ground, box, &pose, 0.01);
    assert_int_equal(all.count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(has(&all, i & 1 ? 4 : 2, i & 2 ? 2 : -2, -0.001));
    assert_normals(&all, 0, 0, 1, 0);
    assert_features_differ(&all);
    /* on an edge: two */
    rotation_about((double[]){0, 1, 0}, 0.7, pose.A);
    pose.x[2] = sin(0.7) + 0.5 * cos(0.7);
    all = contact(plane, &ground, box, &pose, 0.01);
    assert_int_equal(all.count, 2);
    ss_shape_destroy(plane);
    ss_shape_destroy(box);
    ss_context_destroy(context);
}

static void box_on_box_has_the_common_rectangle(void **state)
{
    ss_context *context = new_context();
    ss_shape *below = make_box(context, 2, 2, 1), *above = make_box(context, 2, 4, 1);
    ss_pose low = pose_at(0, 0, 0), high = pose_at(0.5, 0.25, 1.002);
    (void)state;
    contacts all = contact(below, &low, above, &high, 0.01);
    assert_int_equal(all.count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(has(&all, i & 1 ? 1 : -0.5, i & 2 ? 1 : -1, 0.002));
    assert_normals(&all, 0, 0, 1, 0);
    assert_features_differ(&all);
    assert_int_equal(contact(below, &low, above, &high, 0.001).count, 0);
    ss_shape_destroy(below);
    ss_shape_destroy(above);
    ss_context_destroy(context);
}

/* Turned by 45° the common part is an octagon; four of its corners hold as much area as four can. */
static void octagon_is_reduced_to_four(void **state)
{
    ss_context *context = new_context();
    ss_shape *box = make_box(context, 2, 2, 2);
    ss_pose low = pose_at(0, 0, 0), high = pose_at(0, 0, 2);
    (void)state;
    rotation_about((double[]){0, 0, 1}, atan(1), high.A);
    contacts all = contact(box, &low, box, &high, 0.01);
    assert_int_equal(all.count, 4);
    double area = 0, c = 2 * sqrt(2) - 2; /* corners of the octagon at radius sqrt(1 + (c/2)²) */
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++) { /* the longest of the ways between them are diagonals */
            double d[3];
            ss_minus3(all.t[i].a, all.t[k].a, d);
            area = fmax(area, ss_length3(d));
        }
    assert_near(area, 2 * sqrt(1 + c * c / 4), 1e-12);
    assert_features_differ(&all);
    ss_shape_destroy(box);
    ss_context_destroy(context);
}

static void edges_that_cross_contact_once(void **state)
{
    ss_context *context = new_context();
    ss_shape *box = make_box(context, 2, 2, 2);
    ss_pose low = pose_at(0, 0, 0), high = pose_at(0, 0, 2 * sqrt(2) - 1e-3);
    double quarter = atan(1);
    (void)state;
    rotation_about((double[]){1, 0, 0}, quarter, low.A);
    rotation_about((double[]){0, 1, 0}, quarter, high.A);
    contacts all = contact(box, &low, box, &high, 1e-4);
    assert_int_equal(all.count, 1);
    assert_true(has(&all, 0, 0, -1e-3));
    assert_normals(&all, 0, 0, 1, 1e-14);
    high.x[2] += 1e-3 + 5e-5; /* and in the open */
    all = contact(box, &low, box, &high, 1e-4);
    assert_int_equal(all.count, 1);
    assert_true(has(&all, 0, 0, 5e-5));
    ss_shape_destroy(box);
    ss_context_destroy(context);
}

static const double cube[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};

/* A hull of a box's corners contacts as the box does. */
static void hull_contacts_as_the_box_does(void **state)
{
    ss_context *context = new_context();
    ss_shape *box = make_box(context, 2, 2, 2), *hull = make_hull(context, 8, cube);
    random_state r = {8};
    int found = 0;
    (void)state;
    for (int run = 0; run < 2000; run++) {
        ss_pose low = random_pose(&r, 0.1), high = random_pose(&r, 2);
        contacts one = contact(box, &low, box, &high, 0.05),
                 other = contact(hull, &low, hull, &high, 0.05);
        assert_int_equal(one.count > 0, other.count > 0);
        if (one.count == 0)
            continue;
        assert_near(deepest(&one)->gap, deepest(&other)->gap, 1e-12);
        found++;
    }
    assert_true(found > 500);
    ss_shape_destroy(box);
    ss_shape_destroy(hull);
    ss_context_destroy(context);
}

/* Two shapes at rest on each other: flat, aligned, as exact as can be. */
typedef struct rest {
    ss_shape *below, *above;
    ss_pose low, high;
    int count;
} rest;

static void assert_steady(const rest *at, double noise)
{
    random_state r = {9};
    contacts first = contact(at->below, &at->low, at->above, &at->high, 1e-3);
    assert_int_equal(first.count, at->count);
    assert_features_differ(&first);
    for (int run = 0; run < 500; run++) {
        ss_pose turn = pose_at(0, 0, 0), high;
        double axis[3];
        random_direction(&r, axis);
        rotation_about(axis, noise * random_unit(&r), turn.A);
        high = moved(&turn, &at->high);
        ss_along3(high.x, noise * random_unit(&r), axis, high.x);
        contacts now = contact(at->below, &at->low, at->above, &high, 1e-3);
        assert_int_equal(now.count, first.count);
        for (int i = 0; i < now.count; i++) {
            double d[3];
            if (now.t[i].feature != first.t[i].feature)
                fail_msg("%s on %s: point %d is %x, was %x", at->above->ops->type.name,
                         at->below->ops->type.name, i, now.t[i].feature, first.t[i].feature);
            ss_minus3(now.t[i].a, first.t[i].a, d);
            assert_true(ss_length3(d) < 20 * noise + 1e-14);
            ss_minus3(now.t[i].n, first.t[i].n, d);
            assert_true(ss_length3(d) < 3 * noise + 1e-15);
            assert_true(fabs(now.t[i].gap - first.t[i].gap) < 20 * noise + 1e-14);
        }
    }
}

/* Points and their marks do not jump when bodies at rest move by rounding, or a bit more. */
static void rest_is_steady(void **state)
{
    ss_context *context = new_context();
    ss_shape *box = make_box(context, 2, 2, 2), *hull = make_hull(context, 8, cube);
    ss_shape *small = make_box(context, 1, 1, 2), *plane = make_plane(context);
    ss_shape *cylinder = make_long(context, "cylinder", 0.8, 2);
    ss_shape *wide = make_long(context, "cylinder", 1, 2);
    ss_shape *capsule = make_long(context, "capsule", 0.5, 1);
    ss_pose origin = pose_at(0, 0, 0), top = pose_at(0, 0, 2), ground = pose_at(0, 0, 1);
    ss_pose lying = pose_at(0, 0, 1.5), log_pose = pose_at(0, 0, 1.8);
    rotation_about((double[]){1, 0, 0}, acos(0), lying.A);
    rotation_about((double[]){1, 0, 0}, acos(0), log_pose.A);
    const rest rests[] = {
        {plane, box, ground, top, 4},         {box, box, origin, top, 4},
        {hull, hull, origin, top, 4},         {box, hull, origin, top, 4},
        {box, small, origin, top, 4},         {small, hull, origin, top, 4},
        {plane, hull, ground, top, 4},        {plane, cylinder, ground, top, 4},
        {box, cylinder, origin, top, 4},      {hull, cylinder, origin, top, 4},
        {wide, cylinder, origin, top, 4},     {wide, wide, origin, top, 4},
        {plane, capsule, ground, lying, 2},   {box, capsule, origin, lying, 2},
        {hull, capsule, origin, lying, 2},    {plane, cylinder, ground, log_pose, 2},
        {box, cylinder, origin, log_pose, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        assert_steady(&rests[i], 1e-15);
        assert_steady(&rests[i], 1e-12);
        assert_steady(&rests[i], 1e-9);
    }
    ss_shape *all[] = {box, hull, small, plane, cylinder, wide, capsule};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ss_shape_destroy(all[i]);
    ss_context_destroy(context);
}

static void capsules_side_by_side_contact_at_the_ends(void **state)
{
    ss_context *context = new_context();
    ss_shape *one = make_long(context, "capsule", 0.5, 2),
             *two = make_long(context, "capsule", 0.3, 2);
    ss_pose at = pose_at(0, 0, 0), beside = pose_at(0.81, 0, 0.5);
    (void)state;
    contacts all = contact(one, &at, two, &beside, 0.1);
    assert_int_equal(all.count, 2);
    for (int i = 0; i < 2; i++) {
        assert_near(all.t[i].gap, 0.01, 1e-15);
        assert_near(fabs(all.t[i].a[2] - 0.25), 0.75, 1e-15); /* at -0.5 and 1 */
        assert_near(all.t[i].n[0], 1, 1e-15);
    }
    assert_features_differ(&all);
    /* across each other: once */
    rotation_about((double[]){1, 0, 0}, acos(0), beside.A);
    beside.x[2] = 0;
    all = contact(one, &at, two, &beside, 0.1);
    assert_int_equal(all.count, 1);
    assert_near(all.t[0].gap, 0.01, 1e-15);
    /* one behind the other */
    beside = pose_at(0, 0, 2.75);
    all = contact(one, &at, two, &beside, 0.1);
    assert_int_equal(all.count, 1);
    assert_near(all.t[0].gap, -0.05, 1e-15);
    ss_shape_destroy(one);
    ss_shape_destroy(two);
    ss_context_destroy(context);
}

/* A disk that stands on its rim, tilted: its lowest point, exactly. */
static void tilted_disk_contacts_with_its_lowest_point(void **state)
{
    ss_context *context = new_context();
    ss_shape *disk = make_long(context, "cylinder", 1, 0.1), *plane = make_plane(context);
    ss_shape *floor = make_box(context, 10, 10, 2);
    ss_pose ground = pose_at(0, 0, 0), slab = pose_at(0, 0, -1), pose = pose_at(0, 0, 0);
    (void)state;
    for (double tilt = 1e-5; tilt < 1.5; tilt *= 1.7) {
        double height = sin(tilt) + 0.05 * cos(tilt), turn[9];
        rotation_about((double[]){1, 0, 0}, tilt, pose.A);
        rotation_about((double[]){0, 0, 1}, 0.3, turn); /* spun about its own axis: no matter */
        ss_pose spun = {{0}, {0}};
        memcpy(spun.A, turn, sizeof turn);
        spun = moved(&pose, &spun);
        spun.x[2] = height;
        contacts all = contact(plane, &ground, disk, &spun, 1e-9);
        assert_true(all.count > 0);
        assert_near(deepest(&all)->gap, 0, 1e-15);
        assert_near(deepest(&all)->b[1], -cos(tilt) + 0.05 * sin(tilt), 1e-15);
        all = contact(floor, &slab, disk, &spun, 1e-9);
        assert_true(all.count > 0);
        assert_near(deepest(&all)->gap, 0, 1e-14);
        assert_near(deepest(&all)->b[1], -cos(tilt) + 0.05 * sin(tilt), 1e-9);
    }
    ss_shape_destroy(disk);
    ss_shape_destroy(plane);
    ss_shape_destroy(floor);
    ss_context_destroy(context);
}

static void nothing_between_them(void **state)
{
    ss_context *context = new_context();
    double tetrahedron[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    ss_shape *shapes[] = {make_sphere(context, 0.5),
                          make_box(context, 1, 1, 1),
                          make_long(context, "capsule", 0.5, 1),
                          make_long(context, "cylinder", 0.5, 1),
                          make_ellipsoid(context, 0.5, 0.5, 0.5),
                          make_hull(context, 4, tetrahedron)};
    /* the least way out when two of each kind are in the same place */
    const double depth[] = {1, 1, 1, 1, 1, 2 / sqrt(3)};
    (void)state;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            ss_pose pose = pose_at(1, 2, 3);
            contacts all = contact(shapes[i], &pose, shapes[k], &pose, 0);
            assert_true(all.count > 0);
            for (int m = 0; m < all.count; m++) {
                assert_near(ss_length3(all.t[m].n), 1, 1e-14);
                assert_true(isfinite(all.t[m].gap) && all.t[m].gap < 0);
            }
            double g = separation(shapes[i], &pose, shapes[k], &pose, deepest(&all)->n);
            assert_near(deepest(&all)->gap, g, 1e-12);
            if (i == k)
                assert_true(deepest(&all)->gap >= -depth[i] * (i == 5 ? 2 : 1) - 1e-12);
        }
    for (int i = 0; i < 6; i++)
        ss_shape_destroy(shapes[i]);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_on_plane_has_four_corners),
        cmocka_unit_test(box_on_box_has_the_common_rectangle),
        cmocka_unit_test(octagon_is_reduced_to_four),
        cmocka_unit_test(edges_that_cross_contact_once),
        cmocka_unit_test(hull_contacts_as_the_box_does),
        cmocka_unit_test(rest_is_steady),
        cmocka_unit_test(capsules_side_by_side_contact_at_the_ends),
        cmocka_unit_test(tilted_disk_contacts_with_its_lowest_point),
        cmocka_unit_test(nothing_between_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
