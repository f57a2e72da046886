/* page_bodies.c: writes the shapes of a record for a page. */
#include "page/page_bodies.h"

#include <string.h>

ss_status ss_cli_page_carrier(ss_cli_signals *signals, ss_cli_json *json, const char *system)
{
    static const char *const names[] = {"x", "y", "z", "phi", "e0", "e1", "e2", "e3"};
    ss_cli_json_open(json, "carrier", '{');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[1024];
        size_t column;
        snprintf(name, sizeof name, "%s.%s", system, names[i]);
        if (ss_record_find_column(signals->record, name, &column))
            SS_TRY(ss_cli_page_number(signals, json, names[i],
                                      ss_record_column_name(signals->record, column)));
    }
    ss_cli_json_close(json, '}');
    return SS_OK;
}

static void write_numbers(ss_cli_json *json, const char *key, int count, const double *values)
{
    ss_cli_json_open(json, key, '[');
    for (int i = 0; i < count; i++)
        ss_cli_json_number(json, NULL, values[i]);
    ss_cli_json_close(json, ']');
}

static ss_status write_body(ss_cli_signals *signals, ss_cli_json *json, const ss_recorded_shape *s)
{
    static const double upright[4] = {1, 0, 0, 0}, origin[3] = {0};
    ss_cli_json_open(json, NULL, '{');
    ss_cli_json_text(json, "name", s->name);
    ss_cli_json_text(json, "type", s->type);
    if (s->material[0])
        ss_cli_json_text(json, "material", s->material);
    if (s->system[0])
        SS_TRY(ss_cli_page_carrier(signals, json, s->system));
    if (memcmp(s->position, origin, sizeof origin) != 0)
        write_numbers(json, "position", 3, s->position);
    if (memcmp(s->rotation, upright, sizeof upright) != 0)
        write_numbers(json, "rotation", 4, s->rotation);
    if (s->radius > 0)
        ss_cli_json_number(json, "radius", s->radius);
    else
        ss_cli_json_number(json, "mesh", s->mesh);
    ss_cli_json_close(json, '}');
    return SS_OK;
}

/* Digits enough for drawing. */
static void write_mesh(ss_cli_json *json, const ss_triangles *t)
{
    ss_cli_json_open(json, NULL, '{');
    ss_cli_json_open(json, "points", '[');
    for (int i = 0; i < 3 * t->n_points; i++)
        ss_cli_json_short(json, NULL, t->points[i]);
    ss_cli_json_close(json, ']');
    ss_cli_json_open(json, "triangles", '[');
    for (int i = 0; i < 3 * t->n_triangles; i++)
        ss_cli_json_number(json, NULL, t->corners[i]);
    ss_cli_json_close(json, ']');
    ss_cli_json_close(json, '}');
}

/* Spheres need no mesh. */
static void write_meshes(const ss_record *record, ss_cli_json *json)
{
    static const ss_triangles none = {0};
    ss_cli_json_open(json, "meshes", '[');
    for (int i = 0; i < ss_record_mesh_count(record); i++) {
        bool needed = false;
        for (int k = 0; !needed && k < ss_record_shape_count(record); k++) {
            ss_recorded_shape s = ss_record_shape(record, k);
            needed = s.mesh == i && !(s.radius > 0);
        }
        ss_triangles mesh = ss_record_mesh(record, i);
        write_mesh(json, needed ? &mesh : &none);
    }
    ss_cli_json_close(json, ']');
}

ss_status ss_cli_page_bodies(ss_cli_signals *signals, ss_cli_json *json)
{
    const ss_record *record = signals->record;
    if (ss_record_shape_count(record) == 0)
        return SS_OK;
    ss_cli_json_open(json, "bodies", '[');
    for (int i = 0; i < ss_record_shape_count(record); i++) {
        ss_recorded_shape shape = ss_record_shape(record, i);
        SS_TRY(write_body(signals, json, &shape));
    }
    ss_cli_json_close(json, ']');
    write_meshes(record, json);
    return SS_OK;
}
