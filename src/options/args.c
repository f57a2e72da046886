/* args.c: arguments by name. */
#include "base/context.h"
#include "options/options.h"

#include <string.h>

ss_status ss_args_create(ss_context *context, ss_args **args)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, args);
    SS_TRY(SS_NEW(context, 1, args));
    (*args)->context = context;
    ss_arena_init(&(*args)->arena, context);
    return SS_OK;
}

static size_t count_items(int rows, int columns)
{
    return rows == 0 && columns == 0 ? 1 : (size_t)rows * (size_t)columns;
}

static void release_sets(ss_arg *arg)
{
    for (size_t i = 0; i < count_items(arg->rows, arg->columns); i++) {
        ss_args_destroy(arg->items[i].args);
        arg->items[i].args = NULL;
    }
}

void ss_args_destroy(ss_args *args)
{
    if (!args)
        return;
    for (size_t i = 0; i < args->count; i++) {
        release_sets(&args->list[i]);
        for (int k = 0; args->list[i].objects && k < args->list[i].rows; k++)
            ss_args_destroy(args->list[i].objects[k]);
    }
    ss_arena_release(&args->arena);
    ss_release(args->context, args->list);
    ss_release(args->context, args);
}

const ss_arg *ss_args_find(const ss_args *args, const char *key)
{
    for (size_t i = 0; args && i < args->count; i++)
        if (strcmp(args->list[i].key, key) == 0)
            return &args->list[i];
    return NULL;
}

ss_location ss_args_location(const ss_args *args, const char *key)
{
    const ss_arg *arg = key ? ss_args_find(args, key) : NULL;
    if (arg && arg->where.line)
        return arg->where;
    return args ? args->where : (ss_location){0};
}

void ss_args_set_location(ss_args *args, ss_location where)
{
    args->where = where;
}

/* A new or emptied argument with space for its items: that which it had, when it has as many. */
static ss_status place(ss_args *args, const char *key, int rows, int columns, ss_arg **arg)
{
    if (rows < 0 || columns < 0)
        return ss_fail(args->context, SS_INPUT, "argument '%s': %d × %d items", key, rows, columns);
    ss_arg fresh = {.rows = rows, .columns = columns};
    size_t count = count_items(rows, columns);
    ss_arg *found = (ss_arg *)ss_args_find(args, key);
    if (found)
        release_sets(found);
    if (found && count == count_items(found->rows, found->columns))
        fresh.items = found->items;
    else
        SS_TRY(SS_ARENA_NEW(&args->arena, count, &fresh.items));
    if (!found) {
        if (args->count == args->capacity) {
            size_t capacity = args->capacity ? 2 * args->capacity : 8;
            SS_TRY(SS_RESIZE(args->context, capacity, &args->list));
            args->capacity = capacity;
        }
        SS_TRY(ss_arena_copy_string(&args->arena, key, &fresh.key));
        found = &args->list[args->count++];
    } else {
        fresh.key = found->key;
    }
    *found = fresh;
    *arg = found;
    return SS_OK;
}

static ss_status set_numbers(ss_args *args, const char *key, int rows, int columns, size_t count,
                             const double *values)
{
    if (count > 0)
        SS_GIVEN(args->arena.context, values);
    ss_arg *arg;
    SS_TRY(place(args, key, rows, columns, &arg));
    for (size_t i = 0; i < count; i++)
        arg->items[i] = (ss_item){.is_number = true, .number = values[i]};
    return SS_OK;
}

ss_status ss_args_set_real(ss_args *args, const char *key, double value)
{
    SS_GIVEN(NULL, args);
    SS_GIVEN(args->arena.context, key);
    return set_numbers(args, key, 0, 0, 1, &value);
}

ss_status ss_args_set_reals(ss_args *args, const char *key, int count, const double *values)
{
    SS_GIVEN(NULL, args);
    SS_GIVEN(args->arena.context, key);
    return set_numbers(args, key, count, 1, (size_t)count, values);
}

ss_status ss_args_set_matrix(ss_args *args, const char *key, int rows, int columns,
                             const double *values)
{
    SS_GIVEN(NULL, args);
    SS_GIVEN(args->arena.context, key);
    return set_numbers(args, key, rows, columns, (size_t)rows * (size_t)columns, values);
}

ss_status ss_args_set_text(ss_args *args, const char *key, const char *text)
{
    SS_GIVEN(NULL, args);
    SS_GIVEN(args->arena.context, key);
    SS_GIVEN(args->arena.context, text);
    ss_text item = {text, {0}};
    return ss_args_set_texts(args, key, (ss_location){0}, 0, 0, &item);
}

ss_status ss_args_set_texts(ss_args *args, const char *key, ss_location where, int rows,
                            int columns, const ss_text *items)
{
    SS_GIVEN(NULL, args);
    SS_GIVEN(args->arena.context, key);
    if (count_items(rows, columns) > 0)
        SS_GIVEN(args->arena.context, items);
    ss_arg *arg;
    SS_TRY(place(args, key, rows, columns, &arg));
    arg->where = where;
    for (size_t i = 0; i < count_items(rows, columns); i++) {
        ss_item item = {.text.where = items[i].where};
        SS_TRY(ss_arena_copy_string(&args->arena, items[i].text, &item.text.text));
        arg->items[i] = item;
    }
    return SS_OK;
}

/* Copies arguments, with those of the sets in them. */
static ss_status copy(const ss_args *from, ss_args *to)
{
    to->where = from->where;
    for (size_t i = 0; i < from->count; i++) {
        const ss_arg *arg = &from->list[i];
        ss_arg *made;
        SS_TRY(place(to, arg->key, arg->rows, arg->columns, &made));
        made->where = arg->where;
        made->sets = arg->sets;
        for (size_t k = 0; k < count_items(arg->rows, arg->columns); k++) {
            ss_item *item = &made->items[k];
            *item = arg->items[k];
            item->args = NULL;
            if (item->text.text)
                SS_TRY(ss_arena_copy_string(&to->arena, item->text.text, &item->text.text));
            if (!arg->items[k].args)
                continue;
            SS_TRY(ss_args_create(to->context, &item->args));
            SS_TRY(copy(arg->items[k].args, item->args));
        }
    }
    return SS_OK;
}

ss_status ss_args_set_sets(ss_args *args, const char *key, ss_location where, int count,
                           const ss_set_spec *items)
{
    SS_GIVEN(NULL, args);
    SS_GIVEN(args->arena.context, key);
    SS_GIVEN(args->arena.context, items);
    ss_arg *arg;
    SS_TRY(place(args, key, count, count > 0, &arg));
    arg->where = where;
    arg->sets = true;
    for (size_t i = 0; i < count_items(arg->rows, arg->columns); i++) {
        ss_item *item = &arg->items[i];
        SS_GIVEN(args->arena.context, items[i].name.text);
        *item = (ss_item){.text.where = items[i].name.where};
        SS_TRY(ss_arena_copy_string(&args->arena, items[i].name.text, &item->text.text));
        if (!items[i].args)
            continue;
        SS_TRY(ss_args_create(args->context, &item->args));
        SS_TRY(copy(items[i].args, item->args));
    }
    return SS_OK;
}

/* Lists of an argument with space for one more thing. */
static ss_status grow_objects(ss_args *args, ss_arg *arg)
{
    int n = arg->rows;
    if ((n & (n - 1)) != 0) /* filled up at powers of two */
        return SS_OK;
    ss_item *items;
    ss_args **objects;
    SS_TRY(SS_ARENA_NEW(&args->arena, n ? 2 * n : 1, &items));
    SS_TRY(SS_ARENA_NEW(&args->arena, n ? 2 * n : 1, &objects));
    for (int i = 0; i < n; i++) {
        items[i] = arg->items[i];
        objects[i] = arg->objects[i];
    }
    arg->items = items;
    arg->objects = objects;
    return SS_OK;
}

ss_status ss_args_add_object(ss_args *args, const char *key, const char *name, ss_location where,
                             ss_args **object)
{
    SS_GIVEN(NULL, args);
    SS_GIVEN(args->arena.context, key);
    SS_GIVEN(args->arena.context, name);
    SS_GIVEN(args->arena.context, object);
    ss_arg *arg = (ss_arg *)ss_args_find(args, key);
    if (!arg) {
        SS_TRY(place(args, key, 0, 1, &arg));
        arg->where = args->where;
    }
    ss_item item = {.text.where = where};
    SS_TRY(grow_objects(args, arg));
    SS_TRY(ss_arena_copy_string(&args->arena, name, &item.text.text));
    SS_TRY(ss_args_create(args->context, object));
    (*object)->where = where;
    arg->items[arg->rows] = item;
    arg->objects[arg->rows++] = *object;
    return SS_OK;
}
