/* recorder_head.c: what a record begins with: names and sizes, the scene, empty tables, and the shapes of the model, so
 * that a record can be drawn without the scene. */
#include "record/recorder.h"

#include "model/model.h"

#include <math.h>
#include <string.h>

static ss_status write_format(const ss_store *store, int every)
{
    static const char *const groups[] = {"/names",      "/laws",   "/energy",
                                         "/solver",     "/events", "/checkpoint",
                                         "/statistics", "/scene",  "/scene/parameters"};
    SS_TRY(ss_store_set_text(store, "/", "format", SS_RECORD_FORMAT_NAME));
    SS_TRY(ss_store_set_count(store, "/", "format_version", SS_RECORD_FORMAT));
    SS_TRY(ss_store_set_text(store, "/", "stickslip_version", ss_version()));
    SS_TRY(ss_store_set_count(store, "/", "every", (uint64_t)every));
    SS_TRY(ss_store_set_text(store, "/", "note", ""));
    SS_TRY(ss_store_set_text(store, "/", "verdict", "unfinished: the run was not ended"));
    SS_TRY(ss_store_set_count(store, "/", "doubts", SS_DOUBT_UNFINISHED));
    SS_TRY(ss_store_set_count(store, "/", "allowed", 0));
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        SS_TRY(ss_store_group(store, groups[i]));
    return SS_OK;
}

static ss_status replace_text(const ss_store *store, const char *path, const char *text)
{
    bool keep = (!text || !text[0]) && ss_store_has(store, path);
    return keep ? SS_OK : ss_store_write_text(store, path, text ? text : "");
}

ss_status ss_recorder_write_scene(const ss_store *store, const ss_recorder_options *options)
{
    SS_TRY(replace_text(store, "/scene/name", options->scene_name));
    SS_TRY(replace_text(store, "/scene/text", options->scene_text));
    SS_TRY(replace_text(store, "/scene/folder", options->scene_folder));
    return replace_text(store, "/scene/display", options->display);
}

static ss_status create_tables(ss_recorder *recorder)
{
    const ss_store *store = &recorder->store;
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        if (ss_series_is_there(&recorder->layout, id))
            SS_TRY(ss_dataset_create(store, &ss_series[id], (int)recorder->series[id].width,
                                     recorder->chunk, true, &recorder->series[id].table));
    SS_TRY(ss_list_create(store, &ss_event_fields, SS_EVENT_CHUNK, false, &recorder->events.list));
    if (!recorder->has_contacts)
        return SS_OK;
    SS_TRY(ss_store_group(store, "/contacts"));
    SS_TRY(
        ss_store_set_text(store, "/contacts", "which", ss_record_contacts_names[recorder->which]));
    SS_TRY(ss_store_set_count(store, "/contacts", "every", (uint64_t)recorder->contacts_every));
    SS_TRY(ss_list_create(store, &ss_range_fields, recorder->chunk, true, &recorder->ranges.list));
    return ss_list_create(store, &ss_contact_fields, SS_CONTACT_CHUNK, true,
                          &recorder->contacts.list);
}

/* ---- Shapes ---- */

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
    SS_TRY(ss_store_write(store, "/meshes/first_point", SS_NUMBER_INT32, (size_t)g->count + 1,
                          g->points_before));
    SS_TRY(ss_store_write(store, "/meshes/first_triangle", SS_NUMBER_INT32, (size_t)g->count + 1,
                          g->triangles_before));
    SS_TRY(ss_items_write(store, &ss_point_fields, n_points, points));
    return ss_items_write(store, &ss_triangle_fields, n_triangles, corners);
}

/* The largest of the four first, so that nothing is divided by a small number. */
void ss_recorder_turn(const double A[9], double e[4])
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

/* "ball", or "arm.hand" where the system has frames with names. */
static ss_status name_carrier(const ss_model *model, ss_arena *arena, const ss_shape_info *s,
                              const char **name)
{
    *name = "";
    if (s->system < 0)
        return SS_OK;
    const ss_system *system = &model->systems[s->system];
    *name = system->object.name;
    return system->n_frames ? ss_layout_join(arena, *name, system->frame_names[s->frame], 0, name)
                            : SS_OK;
}

static ss_status collect(const ss_model *model, ss_arena *arena, int n, gallery *g,
                         ss_recorded_shape *shapes)
{
    for (int i = 0; i < n; i++) {
        ss_shape_info s = ss_model_shape(model, i);
        ss_recorded_shape *shape = &shapes[i];
        shape->name = s.name;
        shape->type = s.shape->ops->type.name;
        shape->material = s.material;
        SS_TRY(name_carrier(model, arena, &s, &shape->system));
        memcpy(shape->position, s.at.x, sizeof s.at.x);
        ss_recorder_turn(s.at.A, shape->rotation);
        shape->radius = is_sphere(s.shape) ? s.shape->ops->radius(s.shape->self) : 0;
        SS_TRY(find_mesh(g, s.shape, &shape->mesh));
    }
    return SS_OK;
}

static ss_status write_shapes(ss_recorder *recorder, int n, ss_arena *arena, gallery *g)
{
    const ss_store *store = &recorder->store;
    const ss_model *model = ss_simulation_model(recorder->simulation);
    int n_elements = ss_model_sizes(model).n_elements;
    const char **elements;
    ss_recorded_shape *shapes;
    SS_TRY(SS_ARENA_NEW(arena, n, &g->meshes));
    SS_TRY(SS_ARENA_NEW(arena, n, &g->of));
    SS_TRY(SS_ARENA_NEW(arena, n + 1, &g->points_before));
    SS_TRY(SS_ARENA_NEW(arena, n + 1, &g->triangles_before));
    SS_TRY(SS_ARENA_NEW(arena, n, &shapes));
    SS_TRY(collect(model, arena, n, g, shapes));
    SS_TRY(SS_ARENA_NEW(arena, n_elements, &elements));
    for (int i = 0; i < n_elements; i++)
        elements[i] = ss_model_element(model, i).name;
    SS_TRY(ss_store_group(store, "/shapes"));
    SS_TRY(ss_items_write(store, &ss_shape_fields, (size_t)n, shapes));
    SS_TRY(ss_store_write_texts(store, "/names/elements", n_elements, elements));
    return write_meshes(store, arena, g);
}

static ss_status add_shapes(ss_recorder *recorder)
{
    int n = ss_model_sizes(ss_simulation_model(recorder->simulation)).n_shapes;
    if (n == 0)
        return SS_OK;
    ss_arena arena;
    gallery g = {.context = recorder->context};
    ss_arena_init(&arena, recorder->context);
    ss_status status = write_shapes(recorder, n, &arena, &g);
    for (int i = 0; i < g.count; i++)
        release(recorder->context, &g.meshes[i]);
    ss_arena_release(&arena);
    return status;
}

ss_status ss_recorder_write_head(ss_recorder *recorder, const ss_recorder_options *options)
{
    ss_store *store = &recorder->store;
    SS_TRY(ss_store_create(store, &recorder->file.pages));
    SS_TRY(write_format(store, recorder->every));
    SS_TRY(ss_layout_write(&recorder->arena, store, &recorder->layout));
    SS_TRY(ss_recorder_write_scene(store, options));
    SS_TRY(ss_depends_write(store, &recorder->arena));
    SS_TRY(create_tables(recorder));
    SS_TRY(add_shapes(recorder));
    return ss_store_flush(store);
}
