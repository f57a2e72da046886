/* path.c: paths in scenes, relative to the file they stand in. */
#include "scene/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *base_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static ss_status copy_part(ss_arena *arena, const char *text, size_t length, const char **part)
{
    char *copy;
    SS_TRY(SS_ARENA_NEW(arena, length + 1, &copy));
    memcpy(copy, text, length);
    *part = copy;
    return SS_OK;
}

ss_status ss_path_folder(ss_arena *arena, const char *file, const char **folder)
{
    return copy_part(arena, file, (size_t)(base_of(file) - file), folder);
}

ss_status ss_path_join(ss_arena *arena, const char *folder, const char *path, const char **joined)
{
    if (path[0] == '/')
        return ss_arena_copy_string(arena, path, joined);
    /* "./a" is "a" as seen from a folder. */
    while (folder[0] && path[0] == '.' && path[1] == '/')
        path += 2;
    size_t length = strlen(folder) + strlen(path) + 1;
    char *text;
    SS_TRY(SS_ARENA_NEW(arena, length, &text));
    snprintf(text, length, "%s%s", folder, path);
    *joined = text;
    return SS_OK;
}

ss_status ss_path_absolute(ss_arena *arena, const char *folder, const char **absolute)
{
    char here[4096];
    if (folder[0] == '/')
        return ss_arena_copy_string(arena, folder, absolute);
    if (!getcwd(here, sizeof here - 1))
        return ss_fail(arena->context, SS_IO, "cannot find the current folder: %s",
                       strerror(errno));
    size_t length = strlen(here);
    if (strcmp(here, "/") != 0)
        memcpy(here + length, "/", 2);
    return ss_path_join(arena, here, folder, absolute);
}

ss_status ss_path_stem(ss_arena *arena, const char *file, const char **stem)
{
    const char *base = base_of(file);
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    return copy_part(arena, base, length, stem);
}
