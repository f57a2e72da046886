/* types.c: the registry of types by kind and name. */
#include "base/context.h"

#include <string.h>

const char *ss_type_kind_name(ss_type_kind kind)
{
    static const char *const names[SS_TYPE_KINDS] = {
        "set",   "solver", "system", "element",    "law",
        "force", "shape",  "scheme", "simulation", "controller",
    };
    return (int)kind >= 0 && kind < SS_TYPE_KINDS ? names[kind] : "unknown";
}

const ss_type *ss_type_at(const ss_context *context, ss_type_kind kind, size_t index)
{
    if ((int)kind < 0 || kind >= SS_TYPE_KINDS)
        return NULL;
    const ss_type_list *list = &context->types[kind];
    return index < list->count ? list->entries[index].type : NULL;
}

static ss_type_entry *find(const ss_type_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->entries[i].type->name, name) == 0)
            return &list->entries[i];
    return NULL;
}

/* A struct of another interface cannot be looked into: not even its name is where it is expected. */
static ss_status check_interface(ss_context *context, ss_type_kind kind, const ss_type *type,
                                 size_t size)
{
    if (type->abi != SS_ABI)
        return ss_fail(context, SS_INPUT,
                       "a %s type was built for another interface than %d, that of this library; "
                       "build it again with the headers of stickslip %s",
                       ss_type_kind_name(kind), SS_ABI, ss_version());
    if (type->size < sizeof *type || type->size > size)
        return ss_fail(context, SS_INPUT,
                       "%s type '%s': its struct has %zu bytes where this library has %zu; build "
                       "it again with the headers of stickslip %s",
                       ss_type_kind_name(kind),
                       type->size >= sizeof *type && type->name ? type->name : "?", type->size,
                       size, ss_version());
    return SS_OK;
}

static ss_status check_type(ss_context *context, ss_type_kind kind, const ss_type *type)
{
    if (!type->name || !type->name[0] || !type->doc)
        return ss_fail(context, SS_INPUT, "a %s type needs a name and a doc sentence",
                       ss_type_kind_name(kind));
    if (find(&context->types[kind], type->name))
        return ss_fail(context, SS_INPUT, "%s type '%s' is registered already",
                       ss_type_kind_name(kind), type->name);
    if (type->user && (type->self_size < sizeof type->user ||
                       type->user_offset > type->self_size - sizeof type->user))
        return ss_fail(context, SS_INPUT,
                       "%s type '%s': 'user_offset' is %zu, but 'self' has %zu bytes",
                       ss_type_kind_name(kind), type->name, type->user_offset, type->self_size);
    return SS_OK;
}

ss_status ss_register_type(ss_context *context, ss_type_kind kind, const ss_type *type, size_t size,
                           ss_type_check_fn check)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, type);
    ss_type_list *list = &context->types[kind];
    void *copy;
    SS_TRY(check_interface(context, kind, type, size));
    SS_TRY(check_type(context, kind, type));
    SS_TRY(ss_arena_allocate(&context->arena, 1, size, &copy));
    memcpy(copy, type, type->size);
    if (check)
        SS_TRY(check(context, copy));
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        SS_TRY(SS_RESIZE(context, capacity, &list->entries));
        list->capacity = capacity;
    }
    list->entries[list->count++] = (ss_type_entry){.type = copy};
    return SS_OK;
}

ss_type_mark ss_types_mark(const ss_context *context)
{
    ss_type_mark mark;
    for (int kind = 0; kind < SS_TYPE_KINDS; kind++)
        mark.count[kind] = context->types[kind].count;
    return mark;
}

void ss_types_rollback(ss_context *context, const ss_type_mark *mark)
{
    for (int kind = 0; kind < SS_TYPE_KINDS; kind++) {
        ss_type_list *list = &context->types[kind];
        for (; list->count > mark->count[kind]; list->count--) {
            const ss_type *type = list->entries[list->count - 1].type;
            if (type->user && type->release)
                type->release(type->user);
        }
    }
}

void ss_type_start(const ss_type *type, void *self)
{
    if (type->user)
        memcpy((char *)self + type->user_offset, &type->user, sizeof type->user);
}

void ss_type_extend(ss_context *context, ss_type_kind kind, const char *name, const void *extension)
{
    ss_type_entry *found = find(&context->types[kind], name);
    if (found)
        found->extension = extension;
}

const void *ss_type_extension(const ss_context *context, ss_type_kind kind, const ss_type *type)
{
    const ss_type_list *list = &context->types[kind];
    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].type == type)
            return list->entries[i].extension;
    return NULL;
}

ss_hint ss_type_hint(const ss_context *context, ss_type_kind kind, const char *name)
{
    const char *names[64];
    const ss_type *type;
    size_t count = 0;
    for (; count < 64 && (type = ss_type_at(context, kind, count)); count++)
        names[count] = type->name;
    return ss_hint_of(name, count, names);
}

ss_status ss_type_find(ss_context *context, ss_type_kind kind, const char *name, ss_location where,
                       const ss_type **type)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, name);
    SS_GIVEN(context, type);
    if ((int)kind < 0 || kind >= SS_TYPE_KINDS)
        return ss_fail(context, SS_INPUT, "ss_type_find: there is no kind of types %d", (int)kind);
    const ss_type_entry *found = find(&context->types[kind], name);
    *type = found ? found->type : NULL;
    if (found)
        return SS_OK;
    ss_hint hint = ss_type_hint(context, kind, name);
    return ss_fail_at(context, SS_UNKNOWN_NAME, where, "there is no %s type '%s'%s (types: %s)",
                      ss_type_kind_name(kind), name, hint.near, hint.all);
}
