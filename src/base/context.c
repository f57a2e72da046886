/* context.c: the context: memory, messages, threads; names of status codes and the version. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/context.h"

#include "base/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SS_TEXT_(x) #x
#define SS_TEXT(x)  SS_TEXT_(x)

const char *ss_version(void)
{
    return SS_TEXT(SS_VERSION_MAJOR) "." SS_TEXT(SS_VERSION_MINOR) "." SS_TEXT(SS_VERSION_PATCH);
}

const char *ss_status_name(ss_status status)
{
    switch (status) {
#define X(code, words) \
    case code:         \
        return words;
        SS_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

static void *default_allocate(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void *default_reallocate(void *user, void *memory, size_t size)
{
    (void)user;
    return realloc(memory, size);
}

static void default_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

ss_context_options ss_default_context(void)
{
    return (ss_context_options){
        .allocator = {NULL, default_allocate, default_reallocate, default_release},
        .threads = 1,
    };
}

ss_status ss_context_create_bare(const ss_context_options *options, ss_context **context)
{
    *context = NULL;
    ss_context_options o = options ? *options : ss_default_context();
    if (o.threads < 1 || o.threads > 1024)
        return SS_INPUT;
    ss_context *c = o.allocator.allocate(o.allocator.user, sizeof *c);
    if (!c)
        return SS_MEMORY;
    memset(c, 0, sizeof *c);
    c->options = o;
    ss_arena_init(&c->arena, c);
    *context = c;
    return SS_OK;
}

void ss_context_destroy(ss_context *context)
{
    if (!context)
        return;
    ss_pool_destroy(context->pool);
    ss_types_rollback(context, &(ss_type_mark){{0}});
    for (int kind = 0; kind < SS_TYPE_KINDS; kind++)
        ss_release(context, context->types[kind].entries);
    ss_arena_release(&context->arena);
    ss_allocator allocator = context->options.allocator;
    allocator.release(allocator.user, context);
}

ss_status ss_fail_stopped(ss_context *context)
{
    return ss_fail(context, SS_STOPPED, "stopped on request in the midst of a step");
}

int ss_context_threads(const ss_context *context)
{
    return context->options.threads;
}

const char *ss_context_message(const ss_context *context)
{
    return context->message;
}

/* The line of a source text that holds `where`, or NULL. */
static const char *source_line(const ss_context *context, ss_location where, size_t *length)
{
    for (const ss_source *source = context->sources; source; source = source->next) {
        if (source->file != where.file)
            continue;
        const char *line = source->text;
        const char *end = source->text + source->length;
        for (int i = 1; i < where.line && line; i++) {
            line = memchr(line, '\n', (size_t)(end - line));
            line = line ? line + 1 : NULL;
        }
        if (!line)
            return NULL;
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        *length = (size_t)((stop ? stop : end) - line);
        return line;
    }
    return NULL;
}

/* Appends the source line and a caret under the column. */
static void show_source(ss_context *context, ss_location where)
{
    size_t length = 0;
    const char *line = source_line(context, where, &length);
    if (!line || where.column < 1 || length > 400)
        return;
    size_t used = strlen(context->message);
    size_t capacity = sizeof context->message - used;
    snprintf(context->message + used, capacity, "\n  %5d | %.*s\n        | %*s^", where.line,
             (int)length, line, where.column - 1, "");
}

static void set_message(ss_context *context, ss_location where, const char *format, va_list args)
{
    if (!context) /* nothing has a place for it: the status alone */
        return;
    /* Built apart from the message itself: arguments may point into it. */
    char text[sizeof context->message];
    int used = 0;
    if (where.line > 0)
        used = snprintf(text, sizeof text, "%s:%d:%d: ", where.file ? where.file : "?", where.line,
                        where.column);
    if (used < 0 || (size_t)used >= sizeof text)
        used = 0;
    vsnprintf(text + used, sizeof text - (size_t)used, format, args);
    memcpy(context->message, text, sizeof text);
    if (where.line > 0)
        show_source(context, where);
}

/* In parentheses: for clang-tidy the names are macros as well, see stickslip/base.h. */
ss_status(ss_fail)(ss_context *context, ss_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_message(context, (ss_location){0}, format, args);
    va_end(args);
    return status;
}

ss_status(ss_fail_at)(ss_context *context, ss_status status, ss_location where, const char *format,
                      ...)
{
    va_list args;
    va_start(args, format);
    set_message(context, where, format, args);
    va_end(args);
    return status;
}

void ss_log(ss_context *context, ss_log_level level, const char *format, ...)
{
    if (!context->options.log)
        return;
    char text[sizeof context->message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    context->options.log(context->options.log_user, level, text);
}

ss_status ss_context_add_source(ss_context *context, const char *file, const char *text,
                                size_t length, const char **name)
{
    *name = NULL;
    ss_source *source;
    SS_TRY(SS_ARENA_NEW(&context->arena, 1, &source));
    SS_TRY(ss_arena_copy_string(&context->arena, file, &source->file));
    char *copy;
    SS_TRY(SS_ARENA_NEW(&context->arena, length + 1, &copy));
    memcpy(copy, text, length);
    source->text = copy;
    source->length = length;
    source->next = context->sources;
    context->sources = source;
    *name = source->file;
    return SS_OK;
}

/* Opening a pipe does not wait for its other end. NULL with errno 0: not a regular file. */
static FILE *open_regular(const char *path)
{
    struct stat info = {0};
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    bool regular = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    FILE *file = regular ? fdopen(descriptor, "rb") : NULL;
    if (!file)
        close(descriptor);
    if (!regular)
        errno = S_ISDIR(info.st_mode) ? EISDIR : 0;
    return file;
}

const char *ss_file_reason(void)
{
    return errno ? strerror(errno) : "it is no regular file";
}

bool ss_file_is_below(const char *path, const char *folder)
{
    char *file = realpath(path, NULL), *root = realpath(folder[0] ? folder : ".", NULL);
    size_t length = root ? strlen(root) : 0;
    bool below = !file || (root && strncmp(file, root, length) == 0 &&
                           (file[length] == '/' || !file[length] || length == 1));
    free(file);
    free(root);
    return below;
}

ss_status ss_file_read(ss_context *context, const char *path, size_t most, char **text,
                       size_t *length)
{
    FILE *file = open_regular(path);
    size_t capacity = 0, n = 1;
    ss_status status = file ? SS_OK : SS_IO;
    *text = NULL;
    for (*length = 0; status == SS_OK && n > 0 && *length <= most; *length += n) {
        if (*length + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 65536;
            status = SS_RESIZE(context, capacity, text);
        }
        n = status == SS_OK ? fread(*text + *length, 1, capacity - 1 - *length, file) : 0;
    }
    if (status == SS_OK && ferror(file))
        status = SS_IO;
    if (status == SS_OK)
        (*text)[*length] = '\0';
    int reason = errno;
    if (file)
        fclose(file);
    errno = reason;
    return status;
}

size_t ss_character_length(const unsigned char *p, size_t left)
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

bool ss_character_controls(const unsigned char *p, size_t length)
{
    if (length == 1)
        return p[0] < 0x20 || p[0] == 0x7F;
    if (length == 2)
        return p[0] == 0xC2 && p[1] < 0xA0;
    /* Marks that turn the direction of writing, U+200E to U+202E and U+2066 to U+2069, and ends of lines among them. */
    bool turns =
        length == 3 && p[0] == 0xE2 &&
        ((p[1] == 0x80 && (p[2] == 0x8E || p[2] == 0x8F || (p[2] >= 0xA8 && p[2] <= 0xAE))) ||
         (p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9));
    return turns;
}

bool ss_number_read(const char *text, size_t length, double *number)
{
    char local[288], *end;
    const char *dot = memchr(text, '.', length);
    size_t whole = dot ? (size_t)(dot - text) : length;
    snprintf(local, sizeof local, "%.*s%s%.*s", (int)whole, text,
             dot ? localeconv()->decimal_point : "", dot ? (int)(length - whole - 1) : 0,
             dot ? dot + 1 : "");
    *number = strtod(local, &end);
    return end != local && *end == '\0';
}

ss_status ss_allocate(ss_context *context, size_t count, size_t size, void **memory)
{
    *memory = NULL;
    bool plain = context->options.allocator.allocate == default_allocate;
    if (plain && count > 0 && size > 0) { /* pages that are never used cost nothing */
        *memory = calloc(count, size);
        return *memory ? SS_OK
                       : ss_fail(context, SS_MEMORY, "out of memory: %zu × %zu bytes", count, size);
    }
    SS_TRY(ss_reallocate(context, count, size, memory));
    memset(*memory, 0, count * size);
    return SS_OK;
}

ss_status ss_reallocate(ss_context *context, size_t count, size_t size, void **memory)
{
    const ss_allocator *a = &context->options.allocator;
    if (size && count > (SIZE_MAX / 4) / size)
        return ss_fail(context, SS_MEMORY, "out of memory: %zu × %zu bytes", count, size);
    size_t bytes = count == 0 || size == 0 ? 1 : count * size;
    void *grown = *memory ? a->reallocate(a->user, *memory, bytes) : a->allocate(a->user, bytes);
    if (!grown)
        return ss_fail(context, SS_MEMORY, "out of memory: %zu bytes", bytes);
    *memory = grown;
    return SS_OK;
}

void ss_release(ss_context *context, void *memory)
{
    if (memory)
        context->options.allocator.release(context->options.allocator.user, memory);
}
