/* record_shapes.c: shapes of a record, their meshes and their contacts. */
#include "record/record.h"

static ss_status read_texts(ss_record *record, const char *path, int n, const char ***texts)
{
    int count = 0;
    SS_TRY(ss_store_read_texts(&record->store, path, &record->arena, &count, texts));
    return count == n ? SS_OK : ss_store_damaged(&record->store, path, "has a wrong length");
}

/* All rows of a table of fixed length. */
static ss_status read_table(ss_record *record, const char *path, hid_t type, size_t size, int width,
                            size_t rows, void **values)
{
    ss_table table;
    size_t length = 0;
    SS_TRY(ss_arena_allocate(&record->arena, rows * (size_t)width, size, values));
    SS_TRY(ss_table_open(&record->store, path, type, 2, width, &table));
    ss_status status = ss_table_length(&table, &length);
    if (status == SS_OK && length != rows)
        status = ss_store_damaged(&record->store, path, "has a wrong length");
    if (status == SS_OK)
        status = ss_table_read(&table, 0, rows, *values);
    ss_table_close(&table);
    return status;
}

/* Where the parts of each mesh begin: one number more than meshes, growing from 0. */
static ss_status read_starts(ss_record *record, const char *path, int *count, int **starts)
{
    SS_TRY(ss_store_read_ints(&record->store, path, &record->arena, count, starts));
    bool grows = *count > 0 && (*starts)[0] == 0;
    for (int i = 1; grows && i < *count; i++)
        grows = (*starts)[i] >= (*starts)[i - 1];
    return grows ? SS_OK : ss_store_damaged(&record->store, path, "does not grow from 0");
}

static ss_status check_mesh(const ss_record *record, const ss_triangles *t)
{
    for (int i = 0; i < 3 * t->n_triangles; i++)
        if (t->corners[i] < 0 || t->corners[i] >= t->n_points)
            return ss_store_damaged(&record->store, "/meshes/triangles",
                                    "names a point that is not there");
    return SS_OK;
}

static ss_status read_meshes(ss_record *record)
{
    int n, other, *points, *triangles;
    void *coordinates, *corners;
    SS_TRY(read_starts(record, "/meshes/first_point", &n, &points));
    SS_TRY(read_starts(record, "/meshes/first_triangle", &other, &triangles));
    if (other != n)
        return ss_store_damaged(&record->store, "/meshes/first_triangle", "has a wrong length");
    SS_TRY(read_table(record, "/meshes/points", H5T_NATIVE_DOUBLE, sizeof(double), 3,
                      (size_t)points[n - 1], &coordinates));
    SS_TRY(read_table(record, "/meshes/triangles", H5T_NATIVE_INT, sizeof(int), 3,
                      (size_t)triangles[n - 1], &corners));
    record->n_meshes = n - 1;
    SS_TRY(SS_ARENA_NEW(&record->arena, n, &record->meshes));
    for (int i = 0; i < n - 1; i++) {
        record->meshes[i] = (ss_triangles){
            .n_points = points[i + 1] - points[i],
            .n_triangles = triangles[i + 1] - triangles[i],
            .points = (double *)coordinates + 3 * points[i],
            .corners = (int *)corners + 3 * triangles[i],
        };
        SS_TRY(check_mesh(record, &record->meshes[i]));
    }
    return SS_OK;
}

static ss_status fill_shapes(ss_record *record, int n, const char **names)
{
    const char **type, **material, **system;
    void *position, *rotation;
    double *radius;
    int *mesh, count;
    SS_TRY(read_texts(record, "/shapes/type", n, &type));
    SS_TRY(read_texts(record, "/shapes/material", n, &material));
    SS_TRY(read_texts(record, "/shapes/system", n, &system));
    SS_TRY(ss_store_read_reals(&record->store, "/shapes/radius", &record->arena, &count, &radius));
    if (count != n)
        return ss_store_damaged(&record->store, "/shapes/radius", "has a wrong length");
    SS_TRY(ss_store_read_ints(&record->store, "/shapes/mesh", &record->arena, &count, &mesh));
    if (count != n)
        return ss_store_damaged(&record->store, "/shapes/mesh", "has a wrong length");
    SS_TRY(read_table(record, "/shapes/position", H5T_NATIVE_DOUBLE, sizeof(double), 3, (size_t)n,
                      &position));
    SS_TRY(read_table(record, "/shapes/rotation", H5T_NATIVE_DOUBLE, sizeof(double), 4, (size_t)n,
                      &rotation));
    SS_TRY(SS_ARENA_NEW(&record->arena, n, &record->shapes));
    for (int i = 0; i < n; i++) {
        ss_recorded_shape *s = &record->shapes[i];
        *s = (ss_recorded_shape){names[i], type[i], material[i], system[i],
                                 {0},      {0},     radius[i],   mesh[i]};
        for (int k = 0; k < 4; k++)
            s->rotation[k] = ((double *)rotation)[4 * i + k];
        for (int k = 0; k < 3; k++)
            s->position[k] = ((double *)position)[3 * i + k];
        if (s->mesh < -1 || s->mesh >= record->n_meshes)
            return ss_store_damaged(&record->store, "/shapes/mesh",
                                    "names a mesh that is not there");
    }
    record->n_shapes = n;
    return SS_OK;
}

ss_status ss_record_read_shapes(ss_record *record)
{
    int n;
    const char **names;
    if (!ss_store_has(&record->store, "/shapes"))
        return SS_OK;
    SS_TRY(ss_store_read_texts(&record->store, "/names/shapes", &record->arena, &n, &names));
    SS_TRY(ss_store_read_texts(&record->store, "/names/elements", &record->arena,
                               &record->n_elements, &record->elements));
    SS_TRY(read_meshes(record));
    return fill_shapes(record, n, names);
}

int ss_record_shape_count(const ss_record *record)
{
    return record->n_shapes;
}

ss_recorded_shape ss_record_shape(const ss_record *record, int shape)
{
    return record->shapes[shape];
}

int ss_record_mesh_count(const ss_record *record)
{
    return record->n_meshes;
}

ss_triangles ss_record_mesh(const ss_record *record, int mesh)
{
    return record->meshes[mesh];
}

int ss_record_element_count(const ss_record *record)
{
    return record->n_elements;
}

const char *ss_record_element_name(const ss_record *record, int element)
{
    return record->elements[element];
}
