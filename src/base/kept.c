/* kept.c: files that a model depends on, of which a record keeps copies. */
#include "base/context.h"

#include <stdio.h>
#include <string.h>

const ss_kept_file *ss_context_kept_file(const ss_context *context, const char *name)
{
    const ss_kept_file *file = context->files;
    while (file && strcmp(file->name, name) != 0)
        file = file->next;
    return file;
}

ss_status ss_context_keep_file(ss_context *context, const ss_kept_file *file)
{
    if (ss_context_kept_file(context, file->name))
        return SS_OK;
    ss_kept_file *kept;
    char *bytes;
    SS_TRY(SS_ARENA_NEW(&context->arena, 1, &kept));
    *kept = *file;
    SS_TRY(ss_arena_copy_string(&context->arena, file->name, &kept->name));
    SS_TRY(SS_ARENA_NEW(&context->arena, file->length + 1, &bytes));
    memcpy(bytes, file->bytes, file->length);
    kept->bytes = bytes;
    kept->next = context->files;
    context->files = kept;
    return SS_OK;
}

/* Reads the file, or what a record has kept of it; SS_IO: the caller says why. */
static ss_status read_kept(ss_context *context, const ss_file_request *r, const char *path,
                           char **text, size_t *length)
{
    const ss_kept_file *kept = ss_context_kept_file(context, r->name.text);
    ss_status status = ss_file_read(context, path, r->most, text, length);
    if (!kept || !kept->given)
        return status;
    if (status == SS_OK &&
        (*length != kept->length || memcmp(*text, kept->bytes, kept->length) != 0))
        ss_log(context, SS_LOG_WARNING,
               "'%s' has changed since the record was made; the record's own copy is used",
               r->name.text);
    ss_release(context, *text);
    *length = kept->length;
    SS_TRY(SS_NEW(context, kept->length + 1, text));
    memcpy(*text, kept->bytes, kept->length);
    return SS_OK;
}

ss_status ss_file_obtain(ss_context *context, const ss_file_request *r, char **path, char **text,
                         size_t *length)
{
    const char *name = r->name.text, *directory = r->directory ? r->directory : "";
    bool relative = directory[0] && name[0] != '/';
    size_t before = relative ? strlen(directory) : 0, capacity = strlen(name) + before + 2;
    bool slash = relative && directory[before - 1] != '/';
    const ss_kept_file *kept = ss_context_kept_file(context, name);
    *text = NULL;
    SS_TRY(SS_NEW(context, capacity, path));
    snprintf(*path, capacity, "%s%s%s", relative ? directory : "", slash ? "/" : "", name);
    if (r->confined && !(kept && kept->given) && !ss_file_is_below(*path, directory))
        return ss_fail_at(context, SS_INPUT, r->name.where,
                          "'%s' is not below the folder of the scene; --allow-outside allows that",
                          name);
    ss_status status = read_kept(context, r, *path, text, length);
    if (status == SS_IO)
        ss_fail_at(context, SS_IO, r->name.where, "%s: %s", *path, ss_file_reason());
    if (status == SS_OK && *length > r->most)
        status = ss_fail_at(context, SS_INPUT, r->name.where, "'%s' is larger than %zu MB", *path,
                            r->most >> 20);
    if (status == SS_OK)
        status = ss_context_keep_file(
            context, &(ss_kept_file){.name = name, .bytes = *text, .length = *length});
    if (status != SS_OK) {
        ss_release(context, *text);
        *text = NULL;
    }
    return status;
}
