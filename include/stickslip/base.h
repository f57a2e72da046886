/* base.h: status codes, the context (memory, log, threads, last message) and source locations.
 *
 * Every function that can fail returns an ss_status. The message that belongs to the last failure is kept
 * in the context: ss_context_message(). The library never prints, exits or installs signal handlers.
 */
#ifndef STICKSLIP_BASE_H
#define STICKSLIP_BASE_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define SS_API
#else
#define SS_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define SS_PRINTF(index, first) __attribute__((format(printf, index, first)))
#else
#define SS_PRINTF(index, first)
#endif

#define SS_VERSION_MAJOR 0
#define SS_VERSION_MINOR 2
#define SS_VERSION_PATCH 0

/* "0.2.0" */
SS_API const char *ss_version(void);

/* Every status with its name in words. */
#define SS_STATUS_LIST(X)                  \
    X(SS_OK, "ok")                         \
    X(SS_MEMORY, "out of memory")          \
    X(SS_INPUT, "bad input")               \
    X(SS_UNKNOWN_NAME, "unknown name")     \
    X(SS_NOT_CONVERGED, "not converged")   \
    X(SS_NON_FINITE, "non-finite number")  \
    X(SS_SINGULAR, "singular mass matrix") \
    X(SS_UNSUPPORTED, "not supported")     \
    X(SS_IO, "input or output failed")     \
    X(SS_STOPPED, "stopped on request")

typedef enum ss_status {
#define X(code, words) code,
    SS_STATUS_LIST(X)
#undef X
} ss_status;

/* The words of a status, e.g. "bad input". */
SS_API const char *ss_status_name(ss_status status);

/* Returns the status of `call` from the calling function unless it is SS_OK. */
#define SS_TRY(call)                      \
    do {                                  \
        ss_status ss_try_status = (call); \
        if (ss_try_status != SS_OK)       \
            return ss_try_status;         \
    } while (0)

/* Where in a source text something stands. line and column count from 1; line 0: no location. The file
 * name is borrowed (from the context's sources, or a string literal). */
typedef struct ss_location {
    const char *file;
    int line;
    int column;
} ss_location;

typedef enum ss_log_level { SS_LOG_ERROR, SS_LOG_WARNING, SS_LOG_INFO, SS_LOG_DEBUG } ss_log_level;

typedef void (*ss_log_fn)(void *user, ss_log_level level, const char *message);

/* Where memory comes from. allocate and reallocate return NULL on failure, as malloc and realloc do. */
typedef struct ss_allocator {
    void *user;
    void *(*allocate)(void *user, size_t size);
    void *(*reallocate)(void *user, void *memory, size_t size);
    void (*release)(void *user, void *memory);
} ss_allocator;

typedef struct ss_context_options {
    ss_allocator allocator; /* default: malloc, realloc, free */
    ss_log_fn log;          /* receives warnings and information; default NULL: nobody listens */
    void *log_user;         /* first argument of log */
    /* From when it is not 0, a step that is under way ends within a second with SS_STOPPED, and the state is what it was
     * before that step; a signal handler may set it. Default NULL: nothing stops a step. */
    const volatile sig_atomic_t *stop;
    int threads; /* threads a solver may use, 1 … 1024; default 1. Results do not depend on it. */
} ss_context_options;

SS_API ss_context_options ss_default_context(void);

/* Allocator, log, registered types and the last message. Not shared between threads. */
typedef struct ss_context ss_context;

/* options may be NULL for the defaults. Registers every built-in type. */
SS_API ss_status ss_context_create(const ss_context_options *options, ss_context **context);
SS_API void ss_context_destroy(ss_context *context);
SS_API int ss_context_threads(const ss_context *context);

/* The message of the last failure: what, where, what would be valid. Never NULL. */
SS_API const char *ss_context_message(const ss_context *context);

/* Stores a message and returns `status`, so that a failing function ends with `return ss_fail(…)`. */
SS_API ss_status ss_fail(ss_context *context, ss_status status, const char *format, ...)
    SS_PRINTF(3, 4);

/* The same with a location in front ("file:line:column: …") and the source line under it, when the text of
 * the file is known to the context. With line 0 it is ss_fail. */
SS_API ss_status ss_fail_at(ss_context *context, ss_status status, ss_location where,
                            const char *format, ...) SS_PRINTF(4, 5);

#ifdef __clang_analyzer__ /* clang-tidy cannot see that what they return is `status` */
#define ss_fail(context, status, ...) ((void)ss_fail((context), (status), __VA_ARGS__), (status))
#define ss_fail_at(context, status, ...) \
    ((void)ss_fail_at((context), (status), __VA_ARGS__), (status))
#endif

/* Sends a message to the log of the context. */
SS_API void ss_log(ss_context *context, ss_log_level level, const char *format, ...)
    SS_PRINTF(3, 4);

/* Keeps a copy of a source text, so that messages can show its lines. *name receives the kept copy of the
 * file name, to be used in ss_location.file. */
SS_API ss_status ss_context_add_source(ss_context *context, const char *file, const char *text,
                                       size_t length, const char **name);

/* Memory from the context's allocator; zeroed; *memory is NULL when it fails (message set). */
SS_API ss_status ss_allocate(ss_context *context, size_t count, size_t size, void **memory);
SS_API ss_status ss_reallocate(ss_context *context, size_t count, size_t size, void **memory);
SS_API void ss_release(ss_context *context, void *memory);

/* Whether a file is in a folder ("": the current one) or below it, symbolic links followed. One that cannot be found
 * counts as there: reading it says what is wrong. */
SS_API bool ss_file_is_below(const char *path, const char *folder);

/* The nearest of `count` names to `word` (edit distance), or NULL when none is near. For "did you mean". */
SS_API const char *ss_nearest(const char *word, size_t count, const char *const *names);

#ifdef __cplusplus
}
#endif
#endif
