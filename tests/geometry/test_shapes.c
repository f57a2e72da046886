/* test_shapes.c: every shape for itself: farthest points, box around, mass properties, triangles; what is refused, and
 * what happens when memory ends. */
#include "geometry/pairs/convex.h"
#include "geometry/shapes.h"

#include "support/allocator.h"

enum { SHAPES = 6 };

static void make_all(ss_context *context, ss_shape *shapes[SHAPES])
{
    random_state r = {1};
    double points[90];
    for (int i = 0; i < 90; i++)
        points[i] = random_between(&r, -1, 2);
    shapes[0] = make_sphere(context, 0.7);
    shapes[1] = make_box(context, 1, 2, 0.6);
    shapes[2] = make_long(context, "capsule", 0.4, 1.3);
    shapes[3] = make_long(context, "cylinder", 0.8, 0.5);
    shapes[4] = make_ellipsoid(context, 0.5, 0.9, 1.4);
    shapes[5] = make_hull(context, 30, points);
}

static void destroy_all(ss_context *context, ss_shape *shapes[SHAPES])
{
    for (int i = 0; i < SHAPES; i++)
        ss_shape_destroy(shapes[i]);
    ss_context_destroy(context);
}

static void farthest_points_are_of_the_shape(void **state)
{
    ss_context *context = new_context();
    ss_shape *shapes[SHAPES];
    random_state r = {2};
    (void)state;
    make_all(context, shapes);
    for (int i = 0; i < SHAPES; i++)
        for (int run = 0; run < 1000; run++) {
            const ss_shape_ops *ops = shapes[i]->ops;
            ss_pose here = pose_at(0, 0, 0);
            double d[3], p[3], q[3], radius = ops->radius ? ops->radius(shapes[i]->self) : 0;
            random_direction(&r, d);
            ops->support(shapes[i]->self, d, p);
            ss_along3(p, radius, d, p);
            assert_near(ss_dot3(d, p), reach(shapes[i], &here, d), 1e-14);
            assert_near(off_surface(shapes[i], &here, p), 0, 1e-14);
            ss_scale3(random_log(&r, 1e-6, 1e6), d, d); /* whatever the length of d */
            ops->support(shapes[i]->self, d, q);
            ss_unit3(d, d);
            ss_along3(q, radius, d, q);
            assert_near(ss_dot3(d, q), ss_dot3(d, p), 1e-14);
        }
    destroy_all(context, shapes);
}

static void bounds_are_tight(void **state)
{
    ss_context *context = new_context();
    ss_shape *shapes[SHAPES];
    random_state r = {3};
    (void)state;
    make_all(context, shapes);
    for (int i = 0; i < SHAPES; i++)
        for (int run = 0; run < 100; run++) {
            ss_pose pose = random_pose(&r, 5);
            ss_bounds box;
            shapes[i]->ops->bounds(shapes[i]->self, &pose, &box);
            for (int k = 0; k < 3; k++) {
                double up[3] = {k == 0, k == 1, k == 2}, down[3] = {-up[0], -up[1], -up[2]};
                assert_near(box.high[k], reach(shapes[i], &pose, up), 1e-14);
                assert_near(box.low[k], -reach(shapes[i], &pose, down), 1e-14);
            }
        }
    destroy_all(context, shapes);
}

/* Points thrown into the box around the shape: volume, centre and inertia to about a hundredth. */
static void mass_properties_by_random_points(void **state)
{
    ss_context *context = new_context();
    ss_shape *shapes[SHAPES];
    random_state r = {4};
    enum { COUNT = 200000 };
    (void)state;
    make_all(context, shapes);
    for (int i = 0; i < SHAPES; i++) {
        ss_pose here = pose_at(0, 0, 0);
        ss_bounds box;
        ss_solid solid;
        double sum[3] = {0}, J[9] = {0}, whole = 1;
        int inside = 0;
        shapes[i]->ops->bounds(shapes[i]->self, &here, &box);
        shapes[i]->ops->solid(shapes[i]->self, &solid);
        for (int k = 0; k < 3; k++)
            whole *= box.high[k] - box.low[k];
        for (int run = 0; run < COUNT; run++) {
            double x[3], d[3];
            for (int k = 0; k < 3; k++)
                x[k] = random_between(&r, box.low[k], box.high[k]);
            if (off_surface(shapes[i], &here, x) > 0)
                continue;
            inside++;
            ss_add3(sum, x, sum);
            ss_minus3(x, solid.centre, d);
            for (int k = 0; k < 9; k++)
                J[k] += (k % 4 == 0 ? ss_dot3(d, d) : 0) - d[k / 3] * d[k % 3];
        }
        assert_near(whole * inside / COUNT, solid.volume, 0.01 * solid.volume);
        for (int k = 0; k < 3; k++)
            assert_near(sum[k] / inside, solid.centre[k], 0.01);
        double size = solid.inertia[0] + solid.inertia[4] + solid.inertia[8];
        for (int k = 0; k < 9; k++)
            assert_near(J[k] * whole / COUNT, solid.inertia[k], 0.01 * size);
    }
    destroy_all(context, shapes);
}

/* Every edge is passed once in each direction. */
static void assert_closed(const ss_triangles *t)
{
    for (int i = 0; i < 3 * t->n_triangles; i++) {
        int from = t->corners[i], to = t->corners[i % 3 == 2 ? i - 2 : i + 1], back = 0;
        assert_in_range(from, 0, t->n_points - 1);
        for (int k = 0; k < 3 * t->n_triangles; k++)
            back += t->corners[k] == to && t->corners[k % 3 == 2 ? k - 2 : k + 1] == from;
        assert_int_equal(back, 1);
    }
}

/* Triangles are a closed surface with its corners on the shape, and enclose nearly what it does. */
static void triangles_are_the_surface(void **state)
{
    ss_context *context = new_context();
    ss_shape *shapes[SHAPES];
    (void)state;
    make_all(context, shapes);
    for (int i = 0; i < SHAPES; i++) {
        ss_pose here = pose_at(0, 0, 0);
        ss_triangles t;
        ss_solid solid, exact;
        assert_int_equal(shapes[i]->ops->triangles(shapes[i]->self, context, &t), SS_OK);
        assert_closed(&t);
        for (int k = 0; k < t.n_points; k++)
            assert_near(off_surface(shapes[i], &here, t.points + 3 * k), 0, 1e-14);
        ss_triangles_solid(&t, &solid);
        shapes[i]->ops->solid(shapes[i]->self, &exact);
        bool flat = i == 1 || i == 5;
        double off = flat ? 1e-13 : 0.04; /* chords of circles cut off a bit */
        assert_near(solid.volume, exact.volume, off * exact.volume);
        for (int k = 0; k < 9; k++)
            assert_near(solid.inertia[k], exact.inertia[k], 2 * off * exact.inertia[4] + 1e-14);
        ss_release(context, t.points);
        ss_release(context, t.corners);
    }
    destroy_all(context, shapes);
}

static void plane_is_drawn_as_a_square(void **state)
{
    ss_context *context = new_context();
    double extent = 3;
    ss_shape *plane = make(context, "plane", 1, (number[]){{"extent", 0, 0, &extent}});
    ss_triangles t;
    (void)state;
    assert_int_equal(plane->ops->triangles(plane->self, context, &t), SS_OK);
    assert_int_equal(t.n_triangles, 2);
    for (int k = 0; k < 2; k++) {
        double e[3], f[3], m[3];
        const int *c = t.corners + 3 * k;
        ss_minus3(t.points + 3 * c[1], t.points + 3 * c[0], e);
        ss_minus3(t.points + 3 * c[2], t.points + 3 * c[0], f);
        ss_cross3(e, f, m);
        assert_near(m[2], 36, 1e-14); /* up, half of the square each */
    }
    ss_release(context, t.points);
    ss_release(context, t.corners);
    ss_shape_destroy(plane);
    ss_context_destroy(context);
}

/* The hull of a cube's corners and points inside has six square faces, whatever the rest. */
static void hull_of_a_cube(void **state)
{
    ss_context *context = new_context();
    random_state r = {6};
    double points[3 * 50];
    (void)state;
    for (int i = 0; i < 50; i++)
        for (int k = 0; k < 3; k++)
            points[3 * i + k] = i < 8 ? (i >> k & 1 ? 1 : -1) : random_between(&r, -0.99, 0.99);
    ss_shape *shape = make_hull(context, 50, points);
    const ss_hull *hull = shape->self;
    assert_int_equal(hull->n_points, 8);
    assert_int_equal(hull->n_faces, 6);
    assert_near(hull->solid.volume, 8, 1e-14);
    for (int f = 0; f < 6; f++) {
        assert_int_equal(hull->begin[f + 1] - hull->begin[f], 4);
        for (int k = hull->begin[f]; k < hull->begin[f + 1]; k++)
            assert_near(ss_dot3(hull->normals + 3 * f, hull->vertices + 3 * hull->corners[k]), 1,
                        1e-15);
    }
    for (int p = 0; p < 8; p++)
        assert_int_equal(hull->first[p + 1] - hull->first[p], 3);
    ss_shape_destroy(shape);
    ss_context_destroy(context);
}

/* Euler's formula, every point inside, every face seen from outside. */
static void hulls_of_random_points(void **state)
{
    ss_context *context = new_context();
    random_state r = {7};
    (void)state;
    for (int run = 0; run < 50; run++) {
        double points[3 * 100];
        int n = 4 + random_below(&r, 97);
        for (int i = 0; i < 3 * n; i++)
            points[i] = random_normal(&r);
        ss_shape *shape = make_hull(context, n, points);
        const ss_hull *hull = shape->self;
        int edges = hull->begin[hull->n_faces] / 2;
        assert_int_equal(hull->n_points - edges + hull->n_faces, 2);
        ss_pose here = pose_at(0, 0, 0);
        for (int i = 0; i < n; i++)
            assert_true(off_surface(shape, &here, points + 3 * i) < 1e-12);
        ss_face face;
        for (int i = 0; i < 100; i++) {
            double d[3], p[3], most = -INFINITY;
            random_direction(&r, d);
            shape->ops->face(hull, d, &face);
            shape->ops->support(hull, d, p);
            for (int k = 0; k < face.count; k++)
                most = fmax(most, ss_dot3(d, face.points[k]));
            assert_near(most, ss_dot3(d, p), 1e-14);
        }
        ss_shape_destroy(shape);
    }
    ss_context_destroy(context);
}

static void refuse(const char *type, int count, const number *numbers, const char *words)
{
    ss_context *context = new_context();
    ss_shape *shape;
    assert_int_not_equal(try_shape(context, type, count, numbers, &shape), SS_OK);
    assert_null(shape);
    if (!strstr(ss_context_message(context), words))
        fail_msg("'%s' does not tell '%s'", ss_context_message(context), words);
    ss_context_destroy(context);
}

/* Strictly convex shapes have no faces, and both are for convex shapes. */
static void contradictions_are_refused(void **state)
{
    ss_context *context = new_context();
    ss_shape_ops both = ss_shape_type_box, neither = ss_shape_type_plane;
    (void)state;
    both.type.name = "both";
    both.strictly_convex = true;
    assert_int_equal(ss_register_shape(context, &both), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "'face' and be strictly convex"));
    neither.type.name = "neither";
    neither.strictly_convex = true;
    assert_int_equal(ss_register_shape(context, &neither), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "'support' is missing"));
    ss_context_destroy(context);
}

static void bad_input_is_refused(void **state)
{
    static const double flat[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 3, 0};
    static const double row[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1};
    (void)state;
    refuse("box", 0, NULL, "size");
    refuse("box", 1, (number[]){{"size", 2, 1, row}}, "2 numbers; three lengths");
    refuse("box", 1, (number[]){{"size", 3, 1, (double[]){1, -1, 1}}}, "size");
    refuse("ellipsoid", 1, (number[]){{"axes", 4, 1, row}}, "4 numbers; three half axes");
    refuse("cylinder", 1, (number[]){{"radius", 0, 0, row}}, "length");
    refuse("capsule", 2, (number[]){{"radius", 0, 0, flat}, {"length", 0, 0, row}}, "radius");
    refuse("hull", 1, (number[]){{"points", 6, 2, row}}, "rows of 2; rows of three");
    refuse("hull", 1, (number[]){{"points", 3, 3, row}}, "3 points; a hull needs four");
    refuse("hull", 1, (number[]){{"points", 5, 3, flat}}, "in a plane");
    refuse("cube", 0, NULL, "cube");
}

static void no_memory_is_survived(void **state)
{
    double size[3] = {1, 2, 3}, points[24];
    (void)state;
    for (int i = 0; i < 24; i++)
        points[i] = i / 3 >> i % 3 & 1;
    const struct {
        const char *type;
        number number;
    } cases[] = {{"box", {"size", 3, 1, size}},
                 {"sphere", {"radius", 0, 0, size}},
                 {"ellipsoid", {"axes", 3, 1, size}},
                 {"hull", {"points", 8, 3, points}}};
    for (int i = 0; i < 4; i++) {
        bool whole = false;
        for (long allowed = 0; !whole; allowed++) {
            counting_allocator counter = {.allowed = -1};
            ss_context_options options = counting_options(&counter);
            ss_context *context;
            ss_shape *shape = NULL;
            ss_triangles t = {0};
            assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
            assert_int_equal(ss_register_builtin_shapes(context), SS_OK);
            long before = counter.live;
            counter.allowed = counter.calls + allowed;
            ss_status status = try_shape(context, cases[i].type, 1, &cases[i].number, &shape);
            if (status == SS_OK)
                status = shape->ops->triangles(shape->self, context, &t);
            whole = status == SS_OK;
            assert_true(whole || status == SS_MEMORY);
            ss_release(context, t.points);
            ss_release(context, t.corners);
            ss_shape_destroy(shape);
            assert_int_equal(counter.live, before);
            ss_context_destroy(context);
            assert_int_equal(counter.live, 0);
        }
    }
}

/* A shape from outside: a cone, by its farthest points alone. */
typedef struct cone {
    double radius, height;
} cone;

static const ss_key cone_keys[] = {
    {"radius", SS_KEY_REAL, offsetof(cone, radius), "0.5", 0, 10, NULL, "m", "Radius."},
    {"height", SS_KEY_REAL, offsetof(cone, height), "1", 0, 10, NULL, "m", "Height."},
    {NULL},
};

static void cone_support(const void *self, const double d[3], double p[3])
{
    const cone *c = self;
    double flat = sqrt(d[0] * d[0] + d[1] * d[1]), s = flat > 0 ? c->radius / flat : 0;
    bool tip = d[2] * c->height > flat * c->radius;
    ss_copy3((double[]){tip ? 0 : s * d[0], tip ? 0 : s * d[1], tip ? c->height : 0}, p);
}

static void cone_bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const cone *c = self;
    for (int i = 0; i < 3; i++) {
        double size = c->radius + c->height;
        box->low[i] = pose->x[i] - size;
        box->high[i] = pose->x[i] + size;
    }
}

static ss_status cone_triangles(const void *self, ss_context *context, ss_triangles *t)
{
    (void)self, (void)context;
    *t = (ss_triangles){0};
    return SS_OK;
}

static const ss_shape_ops cone_type = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "cone", "A cone.", sizeof(cone), cone_keys},
    .bounds = cone_bounds,
    .support = cone_support,
    .triangles = cone_triangles,
};

static double cone_reach(const ss_shape *shape, const ss_pose *pose, const double n[3])
{
    double d[3], p[3];
    if (strcmp(shape->ops->type.name, "cone") != 0)
        return reach(shape, pose, n);
    ss_pose_rotate_back(pose, n, d);
    cone_support(shape->self, d, p);
    return ss_dot3(d, p) + ss_dot3(n, pose->x);
}

static void shapes_from_outside_contact_all_others(void **state)
{
    ss_context *context = new_context();
    ss_shape *shapes[SHAPES + 2];
    random_state r = {11};
    (void)state;
    ss_shape_ops sphere =
        cone_type; /* the library would read its parameters as those of a sphere */
    sphere.kind = SS_SHAPE_SPHERE;
    assert_int_equal(ss_register_shape(context, &sphere), SS_INPUT);
    assert_int_equal(ss_register_shape(context, &cone_type), SS_OK);
    make_all(context, shapes);
    ss_shape *own = make(context, "cone", 0, NULL);
    shapes[SHAPES] = make_plane(context);
    shapes[SHAPES + 1] = make(context, "cone", 0, NULL);
    for (int i = 0; i < SHAPES + 2; i++) {
        int found = 0;
        for (int run = 0; run < 300; run++) {
            ss_pose here = random_pose(&r, 0.1), there = random_pose(&r, 1.5);
            contacts all = contact(own, &here, shapes[i], &there, 0.1);
            if (all.count == 0)
                continue;
            double back[3];
            ss_scale3(-1, all.t[0].n, back);
            double g = -cone_reach(shapes[i], &there, back) - cone_reach(own, &here, all.t[0].n);
            assert_near(deepest(&all)->gap, g, 1e-9);
            found++;
        }
        assert_true(found > 20);
    }
    /* its tip on the plane, 1 cm deep */
    ss_pose ground = pose_at(0, 0, 0), pose = pose_at(0, 0, 0.99);
    rotation_about((double[]){1, 0, 0}, acos(-1), pose.A);
    contacts all = contact(shapes[SHAPES], &ground, own, &pose, 0);
    assert_int_equal(all.count, 1);
    assert_near(all.t[0].gap, -0.01, 1e-15);
    /* it stands on its base: on the plane, on a box, on another one's base */
    ss_pose upright = pose_at(0, 0, 0), slab = pose_at(0, 0, -0.3), below = pose_at(0, 0, 0);
    rotation_about((double[]){1, 0, 0}, acos(-1), below.A);
    const contacts stands[] = {contact(shapes[SHAPES], &ground, own, &upright, 1e-6),
                               contact(shapes[1], &slab, own, &upright, 1e-6),
                               contact(own, &below, own, &upright, 1e-6)};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stands[i].count, 4);
        for (int k = 0; k < 4; k++) {
            const double *p = stands[i].t[k].b;
            assert_near(stands[i].t[k].gap, 0, 1e-15);
            assert_near(sqrt(p[0] * p[0] + p[1] * p[1]), 0.5, i == 2 ? 0.05 : 1e-12);
        }
    }
    ss_shape_destroy(own);
    ss_shape_destroy(shapes[SHAPES]);
    ss_shape_destroy(shapes[SHAPES + 1]);
    destroy_all(context, shapes);
}

static ss_shape *make_square(ss_context *context, double half)
{
    const double points[] = {-half, -half, 0, half, -half, 0, half, half, 0, -half, half, 0};
    const double triangles[] = {0, 1, 2, 0, 2, 3};
    ss_args *args;
    ss_shape *shape;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_matrix(args, "points", 4, 3, points), SS_OK);
    assert_int_equal(ss_args_set_matrix(args, "triangles", 2, 3, triangles), SS_OK);
    assert_int_equal(ss_shape_create(context, "mesh", args, NULL, NULL, &shape), SS_OK);
    ss_args_destroy(args);
    return shape;
}

/* A cone that stands on triangles has more than one point, too. */
static void shapes_from_outside_stand_on_meshes(void **state)
{
    ss_context *context = new_context();
    (void)state;
    assert_int_equal(ss_register_shape(context, &cone_type), SS_OK);
    ss_shape *own = make(context, "cone", 0, NULL), *floor = make_square(context, 2);
    for (int i = 0; i < 5; i++) { /* also where an edge of the mesh is below it */
        ss_pose ground = pose_at(0, 0, 0), pose = pose_at(0.2 * i, -0.3 * i, -1e-3);
        contacts all = contact(floor, &ground, own, &pose, 0);
        assert_int_equal(all.count, 4);
        for (int k = 0; k < 4; k++) {
            const double *p = all.t[k].b;
            assert_near(all.t[k].gap, -1e-3, 1e-15);
            assert_near(all.t[k].n[2], 1, 1e-15);
            assert_near(hypot(p[0] - pose.x[0], p[1] - pose.x[1]), 0.5, 0.05);
        }
    }
    ss_shape_destroy(own);
    ss_shape_destroy(floor);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(farthest_points_are_of_the_shape),
        cmocka_unit_test(bounds_are_tight),
        cmocka_unit_test(mass_properties_by_random_points),
        cmocka_unit_test(triangles_are_the_surface),
        cmocka_unit_test(plane_is_drawn_as_a_square),
        cmocka_unit_test(hull_of_a_cube),
        cmocka_unit_test(hulls_of_random_points),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(shapes_from_outside_stand_on_meshes),
        cmocka_unit_test(no_memory_is_survived),
        cmocka_unit_test(shapes_from_outside_contact_all_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
