/* recorder_shapes.c: the shapes of a model and how they look, so that a record can be drawn without the scene. */
#include "record/recorder.h"

#include <math.h>
#include <string.h>

/* Meshes that differ; shapes of the same look share one. */
typedef struct gallery {
    ss_context *context;
    int count;
    ss_triangles *meshes;
    int *points_before, *triangles_before; /* of all meshes before each one, and of all */
    const ss_shape **of;                   /* a shape that has it */
} gallery;

static void release(ss_context *context, ss_triangles *t)
{
    ss_release(context, t->points);
    ss_release(context, t->corners);
    *t = (ss_triangles){0};
}

static bool is_sphere(const ss_shape *shape)
{
    return shape->ops->kind == SS_SHAPE_SPHERE;
}

static bool same_mesh(const ss_triangles *a, const ss_triangles *b)
{
    if (a->n_points != b->n_points || a->n_triangles != b->n_triangles)
        return false;
    size_t points = 3 * (size_t)a->n_points * sizeof *a->points;
    size_t corners = 3 * (size_t)a->n_triangles * sizeof *a->corners;
    return memcmp(a->points, b->points, points) == 0 &&
           memcmp(a->corners, b->corners, corners) == 0;
}

/* Spheres are compared by their radius alone: there may be very many. */
static int find_sphere(const gallery *g, const ss_shape *shape)
{
    for (int i = 0; i < g->count; i++)
        if (is_sphere(g->of[i]) &&
            g->of[i]->ops->radius(g->of[i]->self) == shape->ops->radius(shape->self))
            return i;
    return -1;
}

static ss_status find_mesh(gallery *g, const ss_shape *shape, int *mesh)
{
    *mesh = is_sphere(shape) ? find_sphere(g, shape) : -1;
    if (*mesh >= 0)
        return SS_OK;
    ss_triangles t = {0};
    ss_status status = shape->ops->triangles(shape->self, g->context, &t);
    if (status != SS_OK) {
        release(g->context, &t);
        return status;
    }
    for (int i = 0; i < g->count; i++)
        if (same_mesh(&g->meshes[i], &t)) {
            release(g->context, &t);
            *mesh = i;
            return SS_OK;
        }
    *mesh = g->count;
    g->of[g->count] = shape;
    g->meshes[g->count++] = t;
    g->points_before[g->count] = g->points_before[g->count - 1] + t.n_points;
    g->triangles_before[g->count] = g->triangles_before[g->count - 1] + t.n_triangles;
    return SS_OK;
}

/* ---- Writing ---- */

static ss_status write_table(const ss_store *store, const char *path, hid_t type, int width,
                             size_t rows, const void *values)
{
    ss_table table;
    SS_TRY(ss_table_create(store, path, type, 2, width, rows > 0 ? rows : 1, true, &table));
    ss_status status = ss_table_write(&table, 0, rows, values);
    ss_table_close(&table);
    return status;
}

static ss_status write_meshes(const ss_store *store, ss_arena *arena, const gallery *g)
{
    size_t n_points = (size_t)g->points_before[g->count];
    size_t n_triangles = (size_t)g->triangles_before[g->count];
    double *points;
    int32_t *corners;
    SS_TRY(SS_ARENA_NEW(arena, 3 * n_points, &points));
    SS_TRY(SS_ARENA_NEW(arena, 3 * n_triangles, &corners));
    for (int i = 0; i < g->count; i++) {
        const ss_triangles *t = &g->meshes[i];
        for (int k = 0; k < 3 * t->n_points; k++)
            points[3 * g->points_before[i] + k] = t->points[k];
        for (int k = 0; k < 3 * t->n_triangles; k++)
            corners[3 * g->triangles_before[i] + k] = t->corners[k];
    }
    SS_TRY(ss_store_group(store, "/meshes"));
    SS_TRY(ss_store_write_ints(store, "/meshes/first_point", g->count + 1, g->points_before));
    SS_TRY(ss_store_write_ints(store, "/meshes/first_triangle", g->count + 1, g->triangles_before));
    SS_TRY(write_table(store, "/meshes/points", H5T_NATIVE_DOUBLE, 3, n_points, points));
    SS_TRY(write_table(store, "/meshes/triangles", H5T_NATIVE_INT32, 3, n_triangles, corners));
    SS_TRY(ss_recorder_describe(store, "/meshes/points", "m",
                                "corners of all meshes, one mesh behind the other", NULL));
    return ss_recorder_describe(store, "/meshes/triangles", "",
                                "three corners each, counted from the first point of their mesh, "
                                "counter-clockwise seen from outside",
                                NULL);
}

/* Euler parameters of a rotation by rows, e0 >= 0: the largest of the four first, so that nothing is
 * divided by a small number. */
static void quaternion(const double A[9], double e[4])
{
    double trace = A[0] + A[4] + A[8];
    double square[4] = {1 + trace, 1 + 2 * A[0] - trace, 1 + 2 * A[4] - trace,
                        1 + 2 * A[8] - trace};
    int k = 0;
    for (int i = 1; i < 4; i++)
        k = square[i] > square[k] ? i : k;
    double s = sqrt(square[k]) / 2, f = 1 / (4 * s);
    double skew[4] = {0, A[7] - A[5], A[2] - A[6], A[3] - A[1]};
    double even[3][3] = {{0, A[1] + A[3], A[2] + A[6]},
                         {A[1] + A[3], 0, A[5] + A[7]},
                         {A[2] + A[6], A[5] + A[7], 0}};
    for (int i = 0; i < 4; i++)
        e[i] = i == k ? s : k == 0 ? f * skew[i] : i == 0 ? f * skew[k] : f * even[k - 1][i - 1];
    double sign = e[0] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        e[i] *= sign;
}

/* The columns of /shapes. */
typedef struct columns {
    const char **name, **type, **material, **system;
    double *position, *rotation, *radius;
    int *mesh;
} columns;

static ss_status allocate(ss_arena *arena, int n, columns *c)
{
    SS_TRY(SS_ARENA_NEW(arena, n, &c->name));
    SS_TRY(SS_ARENA_NEW(arena, n, &c->type));
    SS_TRY(SS_ARENA_NEW(arena, n, &c->material));
    SS_TRY(SS_ARENA_NEW(arena, n, &c->system));
    SS_TRY(SS_ARENA_NEW(arena, 3 * n, &c->position));
    SS_TRY(SS_ARENA_NEW(arena, 4 * n, &c->rotation));
    SS_TRY(SS_ARENA_NEW(arena, n, &c->radius));
    return SS_ARENA_NEW(arena, n, &c->mesh);
}

static ss_status collect(const ss_model *model, int n, gallery *g, columns *c)
{
    for (int i = 0; i < n; i++) {
        ss_shape_info s = ss_model_shape(model, i);
        c->name[i] = s.name;
        c->type[i] = s.shape->ops->type.name;
        c->material[i] = s.material;
        c->system[i] = s.system < 0 ? "" : ss_model_system(model, s.system).name;
        memcpy(c->position + 3 * i, s.at.x, sizeof s.at.x);
        quaternion(s.at.A, c->rotation + 4 * i);
        c->radius[i] = is_sphere(s.shape) ? s.shape->ops->radius(s.shape->self) : 0;
        SS_TRY(find_mesh(g, s.shape, &c->mesh[i]));
    }
    return SS_OK;
}

static ss_status write_columns(const ss_store *store, int n, const columns *c)
{
    SS_TRY(ss_store_group(store, "/shapes"));
    SS_TRY(ss_store_write_texts(store, "/names/shapes", n, c->name));
    SS_TRY(ss_store_write_texts(store, "/shapes/type", n, c->type));
    SS_TRY(ss_store_write_texts(store, "/shapes/material", n, c->material));
    SS_TRY(ss_store_write_texts(store, "/shapes/system", n, c->system));
    SS_TRY(ss_store_write_reals(store, "/shapes/radius", n, c->radius));
    SS_TRY(ss_store_write_ints(store, "/shapes/mesh", n, c->mesh));
    SS_TRY(write_table(store, "/shapes/position", H5T_NATIVE_DOUBLE, 3, (size_t)n, c->position));
    SS_TRY(write_table(store, "/shapes/rotation", H5T_NATIVE_DOUBLE, 4, (size_t)n, c->rotation));
    SS_TRY(ss_recorder_describe(store, "/shapes/position", "m",
                                "origin of the shape's frame in that of its system", NULL));
    return ss_recorder_describe(store, "/shapes/rotation", "",
                                "Euler parameters e0 e1 e2 e3 of the shape's frame in that of its "
                                "system",
                                NULL);
}

static ss_status write_elements(const ss_store *store, ss_arena *arena, const ss_model *model)
{
    int n = ss_model_sizes(model).n_elements;
    const char **names;
    SS_TRY(SS_ARENA_NEW(arena, n, &names));
    for (int i = 0; i < n; i++)
        names[i] = ss_model_element(model, i).name;
    return ss_store_write_texts(store, "/names/elements", n, names);
}

static ss_status write_shapes(ss_recorder *recorder, ss_arena *arena, gallery *g)
{
    const ss_model *model = ss_simulation_model(recorder->simulation);
    int n = ss_model_sizes(model).n_shapes;
    columns c;
    SS_TRY(SS_ARENA_NEW(arena, n, &g->meshes));
    SS_TRY(SS_ARENA_NEW(arena, n, &g->of));
    SS_TRY(SS_ARENA_NEW(arena, n + 1, &g->points_before));
    SS_TRY(SS_ARENA_NEW(arena, n + 1, &g->triangles_before));
    SS_TRY(allocate(arena, n, &c));
    SS_TRY(collect(model, n, g, &c));
    uint64_t bytes = (uint64_t)(g->points_before[g->count] + g->triangles_before[g->count]) * 48 +
                     (uint64_t)n * 512;
    hsize_t size = 0;
    if (H5Fget_filesize(recorder->store.file, &size) < 0)
        return ss_store_fail(&recorder->store, "write", "it");
    SS_TRY(ss_part_file_reserve(&recorder->file, size, bytes + (1 << 20)));
    SS_TRY(write_columns(&recorder->store, n, &c));
    SS_TRY(write_elements(&recorder->store, arena, model));
    return write_meshes(&recorder->store, arena, g);
}

ss_status ss_recorder_write_shapes(ss_recorder *recorder)
{
    if (ss_model_sizes(ss_simulation_model(recorder->simulation)).n_shapes == 0)
        return SS_OK;
    ss_arena arena;
    gallery g = {.context = recorder->context};
    ss_arena_init(&arena, recorder->context);
    ss_status status = write_shapes(recorder, &arena, &g);
    for (int i = 0; i < g.count; i++)
        release(recorder->context, &g.meshes[i]);
    ss_arena_release(&arena);
    return status;
}
