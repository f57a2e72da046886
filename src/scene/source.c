/* source.c: reads the text of a scene file and checks its characters. */
#include "scene/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static ss_status too_large(ss_context *context, ss_location from, const char *file)
{
    return ss_fail_at(context, SS_INPUT, from, "'%s' is larger than %d MB: no scene file", file,
                      SS_SCENE_LARGEST_FILE / (1024 * 1024));
}

/* Bytes of the UTF-8 character at p (RFC 3629), or 0 when there is none. */
static size_t character_length(const unsigned char *p, size_t left)
{
    static const unsigned char lowest[] = {0, 0x80, 0xA0, 0x90}, highest[] = {0, 0xBF, 0x9F, 0x8F};
    size_t extra = p[0] < 0x80 ? 0 : p[0] < 0xC2 ? 4 : p[0] < 0xE0 ? 1 : p[0] < 0xF0 ? 2 : 3;
    if (extra == 0)
        return 1;
    if (extra > 3 || p[0] > 0xF4 || left <= extra || p[1] < 0x80 || p[1] > 0xBF)
        return 0;
    if ((p[0] == 0xE0 || p[0] == 0xF0) && p[1] < lowest[extra])
        return 0;
    if ((p[0] == 0xED || p[0] == 0xF4) && p[1] > highest[extra])
        return 0;
    for (size_t i = 2; i <= extra; i++)
        if (p[i] < 0x80 || p[i] > 0xBF)
            return 0;
    return extra + 1;
}

static bool is_control(const unsigned char *p, size_t length)
{
    if (length == 1)
        return (p[0] < 0x20 && p[0] != '\t' && p[0] != '\n') || p[0] == 0x7F;
    return length == 2 && p[0] == 0xC2 && p[1] < 0xA0;
}

bool ss_scene_source_is_clean(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const unsigned char *p = (const unsigned char *)text + i;
        size_t n = character_length(p, length - i);
        if (n == 0 || is_control(p, n))
            return false;
        i += n;
    }
    return true;
}

static ss_status check_characters(ss_context *context, const char *file, const char *text,
                                  size_t length)
{
    ss_location where = {file, 1, 1};
    for (size_t i = 0; i < length;) {
        const unsigned char *p = (const unsigned char *)text + i;
        size_t n = character_length(p, length - i);
        if (n == 0)
            return ss_fail_at(context, SS_INPUT, where,
                              "byte 0x%02X is not UTF-8; a scene is a text in UTF-8", p[0]);
        if (is_control(p, n))
            return ss_fail_at(context, SS_INPUT, where,
                              "control character 0x%02X; a scene is a plain text", p[n - 1]);
        where.column = *p == '\n' ? 1 : where.column + 1;
        where.line += *p == '\n';
        i += n;
    }
    return SS_OK;
}

/* Copies the text with every line break as one line feed; returns the length. */
static size_t copy_lines(const char *text, size_t length, char *copy)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\r' && i + 1 < length && text[i + 1] == '\n')
            continue;
        copy[n++] = text[i] == '\r' ? '\n' : text[i];
    }
    return n;
}

ss_status ss_scene_source_take(ss_arena *arena, const char *file, const char *text, size_t length,
                               ss_scene_source *source)
{
    if (length > SS_SCENE_LARGEST_FILE)
        return too_large(arena->context, (ss_location){0}, file);
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        length -= 3;
    }
    char *copy;
    SS_TRY(SS_ARENA_NEW(arena, length + 1, &copy));
    source->length = copy_lines(text, length, copy);
    source->text = copy;
    SS_TRY(check_characters(arena->context, file, copy, source->length));
    return ss_context_add_source(arena->context, file, copy, source->length, &source->file);
}

static ss_status cannot_read(ss_context *context, ss_location from, const char *path)
{
    return ss_fail_at(context, SS_IO, from, "cannot read '%s': %s", path, strerror(errno));
}

/* Reads up to the limit, and one byte more, so that the caller sees when there is too much. */
static ss_status read_all(ss_context *context, FILE *file, char **text, size_t *length)
{
    size_t capacity = 0;
    *length = 0;
    for (;;) {
        if (*length == capacity) {
            capacity = capacity ? 2 * capacity : 65536;
            void *grown = *text;
            SS_TRY(ss_reallocate(context, capacity, 1, &grown));
            *text = grown;
        }
        size_t n = fread(*text + *length, 1, capacity - *length, file);
        *length += n;
        if (n == 0 || *length > SS_SCENE_LARGEST_FILE)
            return SS_OK;
    }
}

static ss_status read_file(ss_context *context, const char *path, ss_location from, char **text,
                           size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return cannot_read(context, from, path);
    ss_status status = read_all(context, file, text, length);
    if (status == SS_OK && ferror(file))
        status = cannot_read(context, from, path);
    fclose(file);
    if (status == SS_OK && *length > SS_SCENE_LARGEST_FILE)
        status = too_large(context, from, path);
    return status;
}

ss_status ss_scene_source_read(ss_arena *arena, const char *path, ss_location from,
                               ss_scene_source *source)
{
    char *text = NULL;
    size_t length = 0;
    ss_status status = read_file(arena->context, path, from, &text, &length);
    if (status == SS_OK)
        status = ss_scene_source_take(arena, path, text, length, source);
    ss_release(arena->context, text);
    return status;
}
