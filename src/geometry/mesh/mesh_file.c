/* mesh_file.c: files of meshes. */
#include "geometry/mesh/mesh.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static ss_status read_stream(ss_context *context, FILE *stream, char **text, size_t *size)
{
    size_t capacity = 0;
    for (*size = 0;;) {
        if (*size == capacity) {
            capacity = 2 * capacity + 65536;
            SS_TRY(ss_reallocate(context, capacity, 1, (void **)text));
        }
        size_t n = fread(*text + *size, 1, capacity - *size, stream);
        if (n == 0)
            return SS_OK;
        *size += n;
    }
}

static ss_status read_path(ss_mesh_source *source, const char *path)
{
    ss_context *context = source->context;
    ss_location where = source->where;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return ss_fail_at(context, SS_IO, where, "%s: %s", path, strerror(errno));
    ss_status status = read_stream(context, stream, &text, &size);
    if (status == SS_OK && ferror(stream))
        status = ss_fail_at(context, SS_IO, where, "%s: could not be read", path);
    fclose(stream);
    if (status == SS_OK)
        status = ss_mesh_read(source, path, text, size);
    ss_release(context, text);
    return status;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    for (size_t k = 0; k < m; k++)
        if (n < m || (name[n - m + k] | 32) != end[k])
            return false;
    return true;
}

ss_status ss_mesh_read(ss_mesh_source *source, const char *file, const char *text, size_t size)
{
    if (ends_with(file, ".obj"))
        return ss_mesh_read_obj(source, file, text, size);
    if (ends_with(file, ".stl"))
        return ss_mesh_read_stl(source, file, text, size);
    return ss_fail_at(source->context, SS_INPUT, source->where,
                      "%s: a mesh is read from a file whose name ends with .obj or .stl", file);
}

ss_status ss_mesh_read_file(ss_mesh_source *source, const ss_text *file, const char *directory)
{
    bool relative = directory && *directory && file->text[0] != '/';
    size_t length = relative ? strlen(directory) : 0, capacity = strlen(file->text) + length + 2;
    bool slash = relative && directory[length - 1] != '/';
    void *path;
    SS_TRY(ss_allocate(source->context, capacity, 1, &path));
    source->path = path;
    snprintf(path, capacity, "%s%s%s", relative ? directory : "", slash ? "/" : "", file->text);
    if (file->where.line > 0)
        source->where = file->where;
    return read_path(source, path);
}
