/* context.h: inside of the context. */
#ifndef SS_BASE_CONTEXT_H
#define SS_BASE_CONTEXT_H

#include "base/arena.h"
#include "base/sha256.h"

#include <stickslip/options.h>

typedef struct ss_type_entry {
    const ss_type *type;   /* a copy of the ops struct, of full size */
    const void *extension; /* what the library's own type has beside the public struct, or NULL */
} ss_type_entry;

typedef struct ss_type_list {
    size_t count, capacity;
    ss_type_entry *entries;
} ss_type_list;

typedef struct ss_source {
    struct ss_source *next;
    const char *file;
    const char *text;
    size_t length;
} ss_source;

/* A file that a model depends on: as it was read, or as a record has it, which then counts. */
typedef struct ss_kept_file {
    struct ss_kept_file *next;
    const char *name;  /* as the scene names it */
    const char *bytes; /* and a zero behind them */
    size_t length;
    bool given; /* by a record */
} ss_kept_file;

enum { SS_MAX_PLUGINS = 256 };

struct ss_context {
    ss_context_options options;
    ss_type_list types[SS_TYPE_KINDS];
    ss_arena arena;      /* sources, types */
    ss_source *sources;  /* newest first */
    ss_kept_file *files; /* newest first */
    size_t n_plugins;
    struct ss_pool *pool; /* threads, NULL: none were needed yet (parallel.h) */
    struct {
        void *library;
        const char *name;         /* of its file, without folders; in the arena */
        const char *version;      /* what it says of itself, or ""; in the arena */
        char sum[SS_SHA256_TEXT]; /* of its file; "" when that cannot be read */
    } plugins[SS_MAX_PLUGINS];    /* whose types are registered here */
    char message[2048];
};

/* An argument that a caller may not leave out. */
#define SS_GIVEN(context, pointer)                                                            \
    do {                                                                                      \
        if (!(pointer))                                                                       \
            return ss_fail(context, SS_INPUT, "%s: '%s' is NULL; it must be given", __func__, \
                           #pointer);                                                         \
    } while (0)

/* Whether the user wants the step that is under way to end. What iterates asks once an iteration, gives up when it is so,
 * and fails by ss_fail_stopped or leaves that to its caller. */
static inline bool ss_stopped(const ss_context *context)
{
    return context->options.stop && *context->options.stop != 0;
}
ss_status ss_fail_stopped(ss_context *context);

/* What a message says of a name that is not known. */
typedef struct ss_hint {
    char near[256]; /* "; did you mean 'b'?", or "" when none is near */
    char all[512];  /* "a, b, c", those that fit; "none" */
} ss_hint;
/* Of the names that would be valid; word NULL: nothing was given. */
ss_hint ss_hint_of(const char *word, size_t count, const char *const *names);
ss_hint ss_type_hint(const ss_context *context, ss_type_kind kind, const char *name);
/* "a, b, c" or "a, b, …", whatever fits; "none" when there are none. */
void ss_join_names(size_t count, const char *const *names, size_t capacity, char *text);

/* The bytes of a file, of which the caller releases the memory, and a zero behind them; of one that is longer than
 * `most`, more than `most` of its bytes. SS_IO: the caller says so, by errno. */
ss_status ss_file_read(ss_context *context, const char *path, size_t most, char **text,
                       size_t *length);
/* Keeps a copy of a file, unless one of that name is kept already; NULL: none is. */
ss_status ss_context_keep_file(ss_context *context, const ss_kept_file *file);
const ss_kept_file *ss_context_kept_file(const ss_context *context, const char *name);
/* A file that a model depends on: its name as the scene has it and where, the folder that relative names begin at (NULL: here),
 * whether it must be there or below, and the most bytes it may have. */
typedef struct ss_file_request {
    ss_text name;
    const char *directory;
    bool confined;
    size_t most;
} ss_file_request;
/* Reads the file, or what a record has kept of it, and keeps a copy for records; fails with a message. The caller releases path
 * and text, the path also after a failure (kept.c). */
ss_status ss_file_obtain(ss_context *context, const ss_file_request *request, char **path,
                         char **text, size_t *length);
/* Why reading failed, by errno. Only regular files are read: a pipe may wait and a device never end. */
const char *ss_file_reason(void);
/* Bytes of the UTF-8 character at p (RFC 3629), or 0 when there is none; whether it is a control character: what a
 * terminal obeys, or what makes a text look like another one. */
size_t ss_character_length(const unsigned char *p, size_t left);
bool ss_character_controls(const unsigned char *p, size_t length);
/* strtod of a text of up to 255 bytes, whatever the decimal point of the locale; false: not all of it is a number. */
bool ss_number_read(const char *text, size_t length, double *number);

/* What a kind of types requires of an ops struct; given its copy of full size. */
typedef ss_status (*ss_type_check_fn)(ss_context *context, const void *ops);

/* Adds a copy of an ops struct, filled with zeros up to `size` bytes, the size that this library has. Fails on
 * another interface, on a longer struct, on a name in use and when `check` (or NULL) does; then nothing is added. */
ss_status ss_register_type(ss_context *context, ss_type_kind kind, const ss_type *type, size_t size,
                           ss_type_check_fn check);

/* Types that were registered since a mark are taken out again, their user data released. */
typedef struct ss_type_mark {
    size_t count[SS_TYPE_KINDS];
} ss_type_mark;
ss_type_mark ss_types_mark(const ss_context *context);
void ss_types_rollback(ss_context *context, const ss_type_mark *mark);

/* Stores the type's user pointer in a new, zeroed self. */
void ss_type_start(const ss_type *type, void *self);

/* What a type of the library has beside its public ops struct. */
void ss_type_extend(ss_context *context, ss_type_kind kind, const char *name,
                    const void *extension);
const void *ss_type_extension(const ss_context *context, ss_type_kind kind, const ss_type *type);

/* Fails by name when a required function of a type is missing: SS_REQUIRE(context, kind, ops, prox). */
#define SS_REQUIRE(context, kind, ops, function)                                              \
    do {                                                                                      \
        if (!(ops)->function)                                                                 \
            return ss_fail((context), SS_INPUT, "%s type '%s': the function '%s' is missing", \
                           ss_type_kind_name(kind), (ops)->type.name, #function);             \
    } while (0)

/* A context without any type: for the tests of one layer. ss_context_create adds the built-in types. */
ss_status ss_context_create_bare(const ss_context_options *options, ss_context **context);

/* Each layer registers its own built-in types; called by ss_context_create. */
ss_status ss_register_builtin_sets(ss_context *context);
ss_status ss_register_builtin_shapes(ss_context *context);
ss_status ss_register_builtin_solvers(ss_context *context);
ss_status ss_register_builtin_types(ss_context *context); /* systems, elements, laws, forces */
ss_status ss_register_builtin_schemes(ss_context *context);
ss_status ss_register_builtin_simulations(ss_context *context);

#endif
