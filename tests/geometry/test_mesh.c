/* test_mesh.c: reading meshes, what is refused, and what is known of them. */
#include "meshes.h"

#include "geometry/mesh/mesh.h"
#include "support/allocator.h"

#include <stdio.h>

/* A tetrahedron with the corners 0, x, y, z; its sides are seen from outside. */
static const char TETRAHEDRON[] = "# a corner of a cube\n"
                                  "mtllib none.mtl\n"
                                  "v 0 0 0\n"
                                  "v 2 0 0\n"
                                  "v 0 3 0\n"
                                  "v 0 0 4.0e0\n"
                                  "vn 0 0 1\n"
                                  "f 1 3 2\n"
                                  "f 1/1/1 2//1 4\n"
                                  "f -4 -1 -2\n"
                                  "f 2 3 4 \r\n";

static ss_status read_as(ss_context *context, const char *name, const char *text, size_t size,
                         double scale, ss_mesh *mesh)
{
    ss_mesh_source source = {.context = context};
    *mesh = (ss_mesh){0};
    ss_status status = ss_mesh_read(&source, name, text, size);
    if (status == SS_OK)
        status = ss_mesh_build(&source, scale, 0, mesh);
    ss_mesh_source_release(&source);
    return status;
}

static void check_tetrahedron(const ss_mesh *mesh, double scale)
{
    double V = 4 * scale * scale * scale; /* 2·3·4/6 */
    assert_int_equal(mesh->n_points, 4);
    assert_int_equal(mesh->n_triangles, 4);
    assert_int_equal(mesh->n_edges, 6);
    assert_true(mesh->closed);
    assert_near(mesh->solid.volume, V, 1e-12 * V);
    assert_near(mesh->solid.centre[0], scale * 0.5, 1e-12);
    assert_near(mesh->solid.centre[1], scale * 0.75, 1e-12);
    assert_near(mesh->solid.centre[2], scale * 1, 1e-12);
    /* ∫x² about the centre is 3/80 V a² for each of the three legs a; I_xx = ∫y² + ∫z² */
    double wanted = 3.0 / 80 * V * (9 + 16) * scale * scale;
    assert_near(mesh->solid.inertia[0], wanted, 1e-12 * wanted);
    /* ∫xy about the centre is V ab (1/20 - 1/16); I_xy is minus that */
    wanted = V * 2 * 3 * scale * scale / 80;
    assert_near(mesh->solid.inertia[1], wanted, 1e-12 * wanted);
    for (int e = 0; e < mesh->n_edges; e++)
        assert_int_equal(mesh->edges[e].bend, SS_BEND_CONVEX);
}

static void test_obj(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_mesh mesh;
    assert_int_equal(read_as(context, "t.OBJ", TETRAHEDRON, sizeof TETRAHEDRON - 1, 0.5, &mesh),
                     SS_OK);
    check_tetrahedron(&mesh, 0.5);
    ss_mesh_release(&mesh, context);
    ss_context_destroy(context);
}

static const float CORNERS[4][3][3] = {
    {{0, 0, 0}, {0, 3, 0}, {2, 0, 0}},
    {{0, 0, 0}, {2, 0, 0}, {0, 0, 4}},
    {{0, 0, 0}, {0, 0, 4}, {0, 3, 0}},
    {{2, 0, 0}, {0, 3, 0}, {0, 0, 4}},
};

static size_t write_text_stl(char *text, size_t capacity)
{
    int n = snprintf(text, capacity, "solid part of something\n");
    for (int i = 0; i < 4; i++) {
        n += snprintf(text + n, capacity - (size_t)n, "facet normal 0 0 0\n outer loop\n");
        for (int k = 0; k < 3; k++)
            n += snprintf(text + n, capacity - (size_t)n, "  vertex %g %g %g\n",
                          (double)CORNERS[i][k][0], (double)CORNERS[i][k][1],
                          (double)CORNERS[i][k][2]);
        n += snprintf(text + n, capacity - (size_t)n, " endloop\nendfacet\n");
    }
    n += snprintf(text + n, capacity - (size_t)n, "endsolid part of something\n");
    return (size_t)n;
}

static void put_bytes(char *to, uint32_t bits)
{
    for (int k = 0; k < 4; k++)
        to[k] = (char)(bits >> (8 * k) & 0xff);
}

static size_t write_binary_stl(char *bytes)
{
    memset(bytes, 0, 84 + 4 * 50);
    memcpy(bytes, "solid, but binary", 17);
    put_bytes(bytes + 80, 4);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 9; k++) {
            uint32_t bits;
            memcpy(&bits, &CORNERS[i][k / 3][k % 3], sizeof bits);
            put_bytes(bytes + 84 + 50 * i + 12 + 4 * k, bits);
        }
    return 84 + 4 * 50;
}

static void test_stl(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_mesh mesh;
    char text[4096];
    size_t size = write_text_stl(text, sizeof text);
    assert_int_equal(read_as(context, "t.stl", text, size, 1, &mesh), SS_OK);
    check_tetrahedron(&mesh, 1);
    ss_mesh_release(&mesh, context);
    size = write_binary_stl(text);
    assert_int_equal(read_as(context, "t.stl", text, size, 1, &mesh), SS_OK);
    check_tetrahedron(&mesh, 1);
    ss_mesh_release(&mesh, context);
    ss_context_destroy(context);
}

/* Each fault is told with its place. */
static void test_faults(void **state)
{
    (void)state;
    static const struct fault {
        const char *name, *text, *message;
    } faults[] = {
        {"a.obj", "v 0 0 0\nv 1 x 0\n",
         "a.obj:2:5: a point needs three finite numbers; number 2 is 'x'"},
        {"a.obj", "v 0 0\n", "a.obj:1:6: a point needs three"},
        {"a.obj", "v 0 0 1e999\n", "a.obj:1:7: a point needs three"},
        {"a.obj", "v 0 0 0\nf 1 2 3\n", "a.obj:2:5: '2' is no point; there are 1 so far"},
        {"a.obj", "v 0 0 0\nf 1 0 1\n", "'0' is no point"},
        {"a.obj", "v 0 0 0\nf 1 1.5 1\n", "'1.5' is no point"},
        {"a.obj", "v 0 0 0\nf 1 -2 1\n", "'-2' is no point"},
        {"a.obj", "v 0 0 0\n\nf 1 1\n", "a.obj:3:1: a face has 2 corners"},
        {"a.obj", "v 0 0 0\n", "no face"},
        {"a.obj", "", "no face"},
        {"a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "at least one triangle that has an area"},
        {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 -1\nf 1 2 3\nf 2 1 4\nf 2 1 5\n",
         "has more than two triangles"},
        {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n",
         "twice in the same direction"},
        {"a.obj", "v 0 0 0\nv 2 0 0\nv 0 3 0\nv 0 0 4\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n",
         "volume -4"},
        {"a.stl", "solid a\nfacet normal 0 0 1\nouter lop\n",
         "a.stl:3:7: 'loop' should stand here, not 'lop'"},
        {"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 2 q\n",
         "a.stl:4:12: a vertex needs three"},
        {"a.stl", "solid a\nfacet normal 0 0 1\n", "'outer' should stand here"},
        {"a.stl", "solid a\nendsolid\n", "no triangle"},
        {"a.stl", "solid a\nface\n",
         "a.stl:2:1: 'facet' or 'endsolid' should stand here, not 'face'"},
        {"a.stl", "SOLID", "no STL file"},
        {"a.ply", "ply", ".obj or .stl"},
    };
    ss_context *context = shapes_context();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        ss_mesh mesh;
        ss_status status =
            read_as(context, faults[i].name, faults[i].text, strlen(faults[i].text), 1, &mesh);
        assert_int_not_equal(status, SS_OK);
        if (!strstr(ss_context_message(context), faults[i].message))
            fail_msg("'%s' does not say '%s'", ss_context_message(context), faults[i].message);
    }
    char bytes[4096];
    ss_mesh mesh;
    size_t size = write_binary_stl(bytes);
    bytes[0] = 'x';
    assert_int_equal(read_as(context, "b.stl", bytes, size - 1, 1, &mesh), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context),
                           "a binary file with 4 triangles has 284 bytes, this one 283"));
    put_bytes(bytes + 84 + 12, 0x7fc00000); /* a NaN */
    assert_int_equal(read_as(context, "b.stl", bytes, size, 1, &mesh), SS_NON_FINITE);
    ss_context_destroy(context);
}

static void count_warnings(void *user, ss_log_level level, const char *message)
{
    assert_int_equal(level, SS_LOG_WARNING);
    assert_non_null(
        strstr(message, "1 triangles without area are left out, the first is number 2"));
    ++*(int *)user;
}

static void test_triangles_without_area(void **state)
{
    (void)state;
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.5 0 0\nf 1 2 3\nf 1 4 2\n";
    int warnings = 0;
    ss_context_options options = ss_default_context();
    ss_context *context;
    ss_mesh mesh;
    options.log = count_warnings;
    options.log_user = &warnings;
    assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
    assert_int_equal(read_as(context, "a.obj", text, sizeof text - 1, 1, &mesh), SS_OK);
    assert_int_equal(mesh.n_triangles, 1);
    assert_int_equal(warnings, 1);
    assert_false(mesh.closed);
    ss_mesh_release(&mesh, context);
    ss_context_destroy(context);
}

/* A roof, turned over a valley, and a fold of nothing. */
static void test_bends(void **state)
{
    (void)state;
    static const char *const heights[] = {"-0.5", "0.5", "0"};
    static const ss_bend wanted[] = {SS_BEND_CONVEX, SS_BEND_CONCAVE, SS_BEND_FLAT};
    ss_context *context = shapes_context();
    for (int i = 0; i < 3; i++) {
        char text[256];
        ss_mesh mesh;
        int n = snprintf(text, sizeof text,
                         "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 %s\nf 1 2 3\nf 2 1 4\n", heights[i]);
        assert_int_equal(read_as(context, "a.obj", text, (size_t)n, 1, &mesh), SS_OK);
        assert_int_equal(mesh.edges[0].bend, wanted[i]);
        assert_int_equal(mesh.patch[1], wanted[i] == SS_BEND_FLAT ? 0 : 1);
        ss_mesh_release(&mesh, context);
    }
    ss_context_destroy(context);
}

static void collect(void *user, int triangle)
{
    ++((int *)user)[triangle];
}

/* The tree finds each triangle whose box overlaps, once. */
static void test_tree(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_shape *ground = make_ground(context, NULL);
    const ss_mesh *mesh = ss_shape_mesh(ground);
    random_state r = {1};
    for (int i = 0; i < 200; i++) {
        int visited[2 * FLOOR * FLOOR] = {0};
        ss_bounds box;
        for (int k = 0; k < 3; k++) {
            box.low[k] = random_between(&r, -1.1, 1);
            box.high[k] = box.low[k] + random_between(&r, 0, 0.5);
        }
        ss_mesh_visit(mesh, &box, true, collect, visited);
        for (int t = 0; t < mesh->n_triangles; t++) {
            bool hit = box.low[2] <= 0 && box.high[2] >= -mesh->thickness;
            for (int k = 0; k < 2; k++) {
                double a = ss_mesh_corner(mesh, t, 0)[k], b = ss_mesh_corner(mesh, t, 1)[k];
                double c = ss_mesh_corner(mesh, t, 2)[k];
                hit =
                    hit && fmin(a, fmin(b, c)) <= box.high[k] && fmax(a, fmax(b, c)) >= box.low[k];
            }
            assert_true(visited[t] <= 1);
            assert_true(visited[t] || !hit);
        }
    }
    ss_shape_destroy(ground);
    ss_context_destroy(context);
}

static void test_file_and_keys(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s/tetrahedron.obj", SS_BINARY_DIR);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(TETRAHEDRON, file);
    fclose(file);
    ss_context *context = shapes_context();
    ss_args *args;
    ss_shape *shape;
    ss_solid solid;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_text(args, "file", "tetrahedron.obj"), SS_OK);
    assert_int_equal(ss_args_set_real(args, "scale", 2), SS_OK);
    assert_int_equal(ss_shape_create(context, "mesh", args, NULL, SS_BINARY_DIR, &shape), SS_OK);
    shape->ops->solid(shape->self, &solid);
    assert_near(solid.volume, 32, 1e-12);
    ss_bounds box;
    ss_pose pose = pose_at(1, 0, 0);
    shape->ops->bounds(shape->self, &pose, &box);
    assert_near(box.low[0], 1, 1e-12);
    assert_near(box.high[2], 8, 1e-12);
    ss_shape_destroy(shape);
    assert_int_equal(ss_shape_create(context, "hull", args, NULL, SS_BINARY_DIR, &shape), SS_OK);
    shape->ops->solid(shape->self, &solid);
    assert_near(solid.volume, 32, 1e-12);
    ss_shape_destroy(shape);
    remove(path);
    assert_int_equal(ss_shape_create(context, "hull", args, NULL, SS_BINARY_DIR, &shape), SS_IO);
    assert_non_null(strstr(ss_context_message(context), "tetrahedron.obj: No such file"));
    assert_int_equal(ss_shape_create(context, "mesh", args, NULL, SS_BINARY_DIR, &shape), SS_IO);
    assert_non_null(strstr(ss_context_message(context), "tetrahedron.obj: No such file"));
    assert_int_equal(ss_args_set_matrix(args, "points", 1, 3, (double[]){0, 0, 0}), SS_OK);
    assert_int_equal(ss_shape_create(context, "mesh", args, NULL, NULL, &shape), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "not both"));
    assert_int_equal(ss_shape_create(context, "hull", args, NULL, NULL, &shape), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "either 'points' or a 'file'"));
    ss_args_destroy(args);
    assert_int_equal(ss_shape_create(context, "mesh", NULL, NULL, NULL, &shape), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "a mesh needs a file"));
    assert_int_equal(ss_shape_create(context, "hull", NULL, NULL, NULL, &shape), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "either 'points' or a 'file'"));
    ss_context_destroy(context);
}

/* Heights 0, 1 on a grid of 2 × 3: a slope over the first half, flat over the second. */
static void test_height_field(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_args *args;
    ss_shape *ground, *ball = make_sphere(context, 0.1);
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_matrix(args, "heights", 2, 3, (double[]){0, 1, 1, 0, 1, 1}),
                     SS_OK);
    assert_int_equal(ss_args_set_reals(args, "size", 2, (double[]){4, 2}), SS_OK);
    ground = make_shape(context, "height_field", args);
    contacts t = {0};
    ss_pose home = pose_at(0, 0, 0), pose = pose_at(1, 0.3, 1.1);
    ss_shapes_collide(ground, &home, ball, &pose, 0.01, keep_contact, &t);
    assert_int_equal(t.count, 1);
    assert_near(t.list[0].gap, 0, 1e-15);
    assert_true(t.list[0].n[2] == 1);
    t.count = 0;
    pose = pose_at(-1, -0.2, 0.6); /* above the slope: its distance is 0.1 times the cosine of it */
    ss_shapes_collide(ground, &home, ball, &pose, 0.01, keep_contact, &t);
    assert_int_equal(t.count, 1);
    assert_near(t.list[0].gap, 0.1 * 2 / sqrt(5) - 0.1, 1e-15);
    assert_near(t.list[0].n[0], -1 / sqrt(5), 1e-15);
    ss_shape_destroy(ground);
    ss_shape_destroy(ball);
    ss_shape *none;
    assert_int_equal(ss_args_set_reals(args, "size", 1, (double[]){4}), SS_OK);
    assert_int_equal(ss_shape_create(context, "height_field", args, NULL, NULL, &none), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "two lengths"));
    assert_int_equal(ss_args_set_matrix(args, "heights", 1, 3, (double[]){0, 1, 1}), SS_OK);
    assert_int_equal(ss_shape_create(context, "height_field", args, NULL, NULL, &none), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "2 × 2"));
    ss_args_destroy(args);
    ss_context_destroy(context);
}

/* Corners of the squares lie on the surface of the formula, which may use parameters. */
static void test_height_by_formula(void **state)
{
    (void)state;
    ss_context *context = shapes_context();
    ss_args *args;
    ss_triangles t;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    ss_scope *scope;
    assert_int_equal(ss_scope_create(context, &scope), SS_OK);
    assert_int_equal(ss_scope_define(scope, "bumps", 0.1), SS_OK);
    assert_int_equal(ss_args_set_text(args, "height", "bumps*sin(3*x) + y^2"), SS_OK);
    assert_int_equal(ss_args_set_reals(args, "size", 2, (double[]){4, 2}), SS_OK);
    assert_int_equal(ss_args_set_reals(args, "cells", 2, (double[]){8, 5}), SS_OK);
    ss_shape *ground;
    assert_int_equal(ss_shape_create(context, "height_field", args, scope, NULL, &ground), SS_OK);
    assert_int_equal(ground->ops->triangles(ground->self, context, &t), SS_OK);
    assert_int_equal(t.n_points, 9 * 6);
    assert_int_equal(t.n_triangles, 2 * 8 * 5);
    for (int i = 0; i < t.n_points; i++) {
        const double *p = t.points + 3 * i;
        assert_near(p[2], 0.1 * sin(3 * p[0]) + p[1] * p[1], 1e-15);
    }
    ss_release(context, t.points);
    ss_release(context, t.corners);
    ss_shape_destroy(ground);
    assert_int_equal(ss_args_set_text(args, "height", "x + q"), SS_OK);
    assert_int_not_equal(ss_shape_create(context, "height_field", args, scope, NULL, &ground),
                         SS_OK);
    assert_non_null(strstr(ss_context_message(context), "q"));
    ss_args_destroy(args);
    ss_scope_destroy(scope);
    ss_context_destroy(context);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    ss_status status = SS_MEMORY;
    for (long allowed = 1; status != SS_OK; allowed++) {
        counting_allocator counter = {.allowed = allowed};
        ss_context_options options = counting_options(&counter);
        ss_context *context;
        ss_mesh mesh;
        assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
        status = read_as(context, "t.obj", TETRAHEDRON, sizeof TETRAHEDRON - 1, 1, &mesh);
        assert_true(status == SS_OK || status == SS_MEMORY);
        ss_mesh_release(&mesh, context);
        ss_context_destroy(context);
        assert_int_equal(counter.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_obj),
        cmocka_unit_test(test_stl),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_triangles_without_area),
        cmocka_unit_test(test_bends),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_file_and_keys),
        cmocka_unit_test(test_height_field),
        cmocka_unit_test(test_height_by_formula),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
