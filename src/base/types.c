/* types.c: the registry of types by kind and name. */
#include "base/context.h"

#include <stdio.h>
#include <string.h>

const char *ss_type_kind_name(ss_type_kind kind)
{
    static const char *const names[SS_TYPE_KINDS] = {
        "set", "solver", "system", "element", "law", "force", "shape", "scheme", "simulation",
    };
    return names[kind];
}

const ss_type *ss_type_at(const ss_context *context, ss_type_kind kind, size_t index)
{
    const ss_type_list *list = &context->types[kind];
    return index < list->count ? list->types[index] : NULL;
}

static const ss_type *find(const ss_type_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->types[i]->name, name) == 0)
            return list->types[i];
    return NULL;
}

ss_status ss_register_type(ss_context *context, ss_type_kind kind, const ss_type *type, size_t size)
{
    ss_type_list *list = &context->types[kind];
    if (type->size != size)
        return ss_fail(
            context, SS_INPUT,
            "%s type '%s': its struct has %zu bytes where this library has %zu; build it "
            "again with the headers of stickslip %s",
            ss_type_kind_name(kind), type->name ? type->name : "?", type->size, size, ss_version());
    if (!type->name || !type->name[0] || !type->doc)
        return ss_fail(context, SS_INPUT, "a %s type needs a name and a doc sentence",
                       ss_type_kind_name(kind));
    if (find(list, type->name))
        return ss_fail(context, SS_INPUT, "%s type '%s' is registered already",
                       ss_type_kind_name(kind), type->name);
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        void *types = list->types;
        SS_TRY(ss_reallocate(context, capacity, sizeof *list->types, &types));
        list->types = types;
        list->capacity = capacity;
    }
    list->types[list->count++] = type;
    return SS_OK;
}

/* "a, b, c" */
static void join_names(const ss_type_list *list, size_t capacity, char *text)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < list->count && used < capacity; i++) {
        int n = snprintf(text + used, capacity - used, "%s%s", i ? ", " : "", list->types[i]->name);
        used += n > 0 ? (size_t)n : 0;
    }
}

static const char *nearest_type(const ss_type_list *list, const char *name)
{
    const char *names[64];
    size_t count = list->count < 64 ? list->count : 64;
    for (size_t i = 0; i < count; i++)
        names[i] = list->types[i]->name;
    return ss_nearest(name, count, names);
}

ss_status ss_type_find(ss_context *context, ss_type_kind kind, const char *name, ss_location where,
                       const ss_type **type)
{
    const ss_type_list *list = &context->types[kind];
    *type = find(list, name);
    if (*type)
        return SS_OK;
    char all[512];
    join_names(list, sizeof all, all);
    const char *near = nearest_type(list, name);
    if (near)
        return ss_fail_at(context, SS_UNKNOWN_NAME, where,
                          "there is no %s type '%s'; did you mean '%s'? (types: %s)",
                          ss_type_kind_name(kind), name, near, all);
    return ss_fail_at(context, SS_UNKNOWN_NAME, where, "there is no %s type '%s' (types: %s)",
                      ss_type_kind_name(kind), name, all);
}
