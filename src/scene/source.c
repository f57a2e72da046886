/* source.c: reads the text of a scene file and checks its characters; paths. */
#include "expression/token.h"
#include "scene/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Largest scene file in bytes: space for some ten thousand objects. The YAML parser may need 400
 * times as much. */
enum { LARGEST_FILE = 4 * 1024 * 1024 };

static ss_status too_large(ss_context *context, ss_location from, const char *file)
{
    return ss_fail_at(context, SS_INPUT, from, "'%s' is larger than %d MB: no scene file", file,
                      LARGEST_FILE / (1024 * 1024));
}

/* Bytes of the text that are clean; `n` are those of the character that follows, 0: no UTF-8. */
static size_t clean_length(const char *text, size_t length, size_t *n)
{
    size_t i = 0;
    for (; i < length; i += *n) {
        const unsigned char *p = (const unsigned char *)text + i;
        *n = ss_character_length(p, length - i);
        if (*n == 0 || (ss_character_controls(p, *n) && p[0] != '\t' && p[0] != '\n'))
            break;
    }
    return i;
}

bool ss_scene_source_is_clean(const char *text, size_t length)
{
    size_t n;
    return clean_length(text, length, &n) == length;
}

static ss_status check_characters(ss_context *context, const char *file, const char *text,
                                  size_t length)
{
    size_t n, clean = clean_length(text, length, &n);
    if (clean == length)
        return SS_OK;
    ss_text all = {text, {file, 1, 1}};
    const unsigned char *p = (const unsigned char *)text + clean;
    if (n == 0)
        return ss_text_fail(context, SS_INPUT, &all, clean,
                            "byte 0x%02X is not UTF-8; a scene is a text in UTF-8", p[0]);
    if (n == 3)
        return ss_text_fail(context, SS_INPUT, &all, clean,
                            "control character U+%04X, which ends a line or turns the direction of "
                            "writing; a scene is a plain text",
                            (unsigned)((p[0] & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F)));
    return ss_text_fail(context, SS_INPUT, &all, clean,
                        "control character 0x%02X; a scene is a plain text", p[n - 1]);
}

ss_status ss_scene_source_take(ss_arena *arena, const char *file, const char *text, size_t length,
                               ss_scene_source *source)
{
    if (length > LARGEST_FILE)
        return too_large(arena->context, (ss_location){0}, file);
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        length -= 3;
    }
    char *copy;
    SS_TRY(SS_ARENA_NEW(arena, length + 1, &copy));
    *source = (ss_scene_source){.text = copy};
    for (size_t i = 0; i < length; i++) /* every line break as one line feed */
        if (text[i] != '\r' || i + 1 == length || text[i + 1] != '\n')
            copy[source->length++] = text[i] == '\r' ? '\n' : text[i];
    SS_TRY(check_characters(arena->context, file, copy, source->length));
    return ss_context_add_source(arena->context, file, copy, source->length, &source->file);
}

/* A robot in another format. Messages about the scene that it becomes name it so. */
static ss_status import(ss_arena *arena, const char *path, const ss_import_options *how,
                        ss_scene_source *source)
{
    char *text, name[4096];
    SS_TRY(ss_import(arena->context, path, how, &text));
    snprintf(name, sizeof name, "%.4000s (imported)", path);
    ss_status status = ss_scene_source_take(arena, name, text, strlen(text), source);
    ss_release(arena->context, text);
    return status;
}

ss_status ss_scene_source_read(ss_arena *arena, const char *path, ss_location from,
                               const ss_import_options *how, ss_scene_source *source)
{
    if (ss_import_knows(path))
        return import(arena, path, how, source);
    char *text;
    size_t length;
    ss_context *context = arena->context;
    ss_status status = ss_file_read(context, path, LARGEST_FILE, &text, &length);
    if (status == SS_IO)
        ss_fail_at(context, SS_IO, from, "cannot read '%s': %s", path, ss_file_reason());
    if (status == SS_OK && length > LARGEST_FILE)
        status = too_large(context, from, path);
    if (status == SS_OK)
        status = ss_scene_source_take(arena, path, text, length, source);
    ss_release(context, text);
    return status;
}

/* ---- Paths ---- */

static const char *base_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

ss_status ss_path_folder(ss_arena *arena, const char *file, const char **folder)
{
    return ss_arena_copy_text(arena, file, (size_t)(base_of(file) - file), folder);
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
    return ss_arena_copy_text(arena, base, length, stem);
}
