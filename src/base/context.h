/* context.h: inside of the context. */
#ifndef SS_BASE_CONTEXT_H
#define SS_BASE_CONTEXT_H

#include "base/arena.h"

#include <stickslip/options.h>

typedef struct ss_type_list {
    size_t count, capacity;
    const ss_type **types;
} ss_type_list;

typedef struct ss_source {
    struct ss_source *next;
    const char *file;
    const char *text;
    size_t length;
} ss_source;

enum { SS_MAX_PLUGINS = 256 };

struct ss_context {
    ss_context_options options;
    ss_type_list types[SS_TYPE_KINDS];
    ss_arena arena;     /* sources */
    ss_source *sources; /* newest first */
    size_t n_plugins;
    struct ss_pool *pool;          /* threads, NULL: none were needed yet (parallel.h) */
    void *plugins[SS_MAX_PLUGINS]; /* libraries whose types are registered here */
    char message[2048];
};

/* Adds a type whose ops struct should have `size` bytes. Fails on a wrong size and on a name in use. */
ss_status ss_register_type(ss_context *context, ss_type_kind kind, const ss_type *type,
                           size_t size);

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
ss_status ss_register_builtin_systems(ss_context *context);
ss_status ss_register_builtin_elements(ss_context *context);
ss_status ss_register_builtin_laws(ss_context *context);
ss_status ss_register_builtin_forces(ss_context *context);
ss_status ss_register_builtin_schemes(ss_context *context);
ss_status ss_register_builtin_simulations(ss_context *context);

#endif
