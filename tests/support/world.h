/* world.h: a model built in few words, for tests. */
#ifndef SS_TESTS_SUPPORT_WORLD_H
#define SS_TESTS_SUPPORT_WORLD_H

#include "base/context.h"
#include "support/test.h"

#include <stickslip/model.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct world {
    ss_context *context;
    ss_model *model;
} world;

#define assert_ok(w, call)                                                                       \
    do {                                                                                         \
        ss_status assert_status = (call);                                                        \
        if (assert_status != SS_OK)                                                              \
            fail_msg("%s: %s", ss_status_name(assert_status), ss_context_message((w)->context)); \
    } while (0)

/* |a - b| <= tolerance, and neither is NaN. */
#define assert_near(a, b, tolerance)                                                            \
    do {                                                                                        \
        double assert_a = (a), assert_b = (b), assert_t = (tolerance);                          \
        if (!(fabs(assert_a - assert_b) <= assert_t))                                           \
            fail_msg("%s = %.17g is not within %g of %.17g", #a, assert_a, assert_t, assert_b); \
    } while (0)

/* For tests in which allocations fail; whatever comes of it is to be destroyed. */
static inline ss_status try_world(const ss_context_options *options, world *w)
{
    *w = (world){0};
    SS_TRY(ss_context_create_bare(options, &w->context));
    SS_TRY(ss_register_builtin_sets(w->context));
    SS_TRY(ss_register_builtin_solvers(w->context));
    SS_TRY(ss_register_builtin_types(w->context));
    SS_TRY(ss_register_builtin_shapes(w->context));
    return ss_model_create(w->context, &w->model);
}

static inline world world_create(const ss_context_options *options)
{
    world w;
    assert_int_equal(try_world(options, &w), SS_OK);
    return w;
}

static inline void world_destroy(world *w)
{
    ss_model_destroy(w->model);
    ss_context_destroy(w->context);
}

/* "1 2; 3 4" is a matrix, "1 2" a list, "1" a single value. */
static inline ss_status world_give(ss_args *args, const char *key, const char *value)
{
    char copy[512];
    ss_text items[64] = {0};
    int count = 0, rows = 1;
    snprintf(copy, sizeof copy, "%s", value);
    for (char *c = copy; *c; c++)
        rows += *c == ';';
    for (char *word = strtok(copy, " ;"); word && count < 64; word = strtok(NULL, " ;"))
        items[count++].text = word;
    if (count == 1)
        return ss_args_set_text(args, key, items[0].text);
    bool list = rows == 1;
    return ss_args_set_texts(args, key, (ss_location){0}, list ? count : rows,
                             list ? 1 : count / rows, items);
}

/* Arguments from pairs of key and value, ended by NULL. */
static inline ss_status world_arguments(ss_context *context, va_list pairs, ss_args **args)
{
    SS_TRY(ss_args_create(context, args));
    for (const char *key = va_arg(pairs, const char *); key; key = va_arg(pairs, const char *)) {
        ss_status status = world_give(*args, key, va_arg(pairs, const char *));
        if (status != SS_OK) {
            ss_args_destroy(*args);
            return status;
        }
    }
    return SS_OK;
}

typedef ss_status (*world_add_fn)(ss_model *, const char *, const char *, const ss_args *);

static inline ss_status world_add(world *w, world_add_fn add, const char *name, const char *type,
                                  ...)
{
    ss_args *args;
    va_list pairs;
    va_start(pairs, type);
    ss_status status = world_arguments(w->context, pairs, &args);
    va_end(pairs);
    SS_TRY(status);
    status = add(w->model, name, type, args);
    ss_args_destroy(args);
    return status;
}

static inline ss_status world_add_law(world *w, const char *element, const char *group,
                                      const char *type, ...)
{
    ss_args *args;
    va_list pairs;
    va_start(pairs, type);
    ss_status status = world_arguments(w->context, pairs, &args);
    va_end(pairs);
    SS_TRY(status);
    status = ss_model_add_law(w->model, element, group, type, args);
    ss_args_destroy(args);
    return status;
}

/* The tail of pairs ends by itself: try_system(&w, "ball", "point", "dim", "2"). */
#define try_system(w, ...)  world_add(w, ss_model_add_system, __VA_ARGS__, (const char *)NULL)
#define try_element(w, ...) world_add(w, ss_model_add_element, __VA_ARGS__, (const char *)NULL)
#define try_force(w, ...)   world_add(w, ss_model_add_force, __VA_ARGS__, (const char *)NULL)
#define try_shape(w, ...)   world_add(w, ss_model_add_shape, __VA_ARGS__, (const char *)NULL)
#define try_law(w, ...)     world_add_law(w, __VA_ARGS__, (const char *)NULL)

#define add_system(w, ...)  assert_ok(w, try_system(w, __VA_ARGS__))
#define add_element(w, ...) assert_ok(w, try_element(w, __VA_ARGS__))
#define add_force(w, ...)   assert_ok(w, try_force(w, __VA_ARGS__))
#define add_shape(w, ...)   assert_ok(w, try_shape(w, __VA_ARGS__))
#define add_law(w, ...)     assert_ok(w, try_law(w, __VA_ARGS__))

/* The call fails with exactly this message. */
#define assert_refused(w, call, message)                                \
    do {                                                                \
        assert_int_not_equal((call), SS_OK);                            \
        assert_string_equal(ss_context_message((w)->context), message); \
    } while (0)

#endif
