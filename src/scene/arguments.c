/* arguments.c: a map of a scene → arguments for a table of keys. */
#include "scene/arguments.h"

#include <stdio.h>
#include <string.h>

/* More keys than any type has; keeps hostile maps from costing time. */
enum { MOST_KEYS = 256, MOST_ITEMS = 1000000 };

typedef struct builder {
    ss_context *context;
    const ss_arguments_source *source;
    ss_args *args;
} builder;

/* Whether a key's value is taken as it stands: a word, a name, a title. */
static bool wants_names(const builder *b, const char *name)
{
    for (int t = 0; t < 2; t++)
        for (const ss_key *key = b->source->tables[t]; key && key->name; key++)
            if (strcmp(key->name, name) == 0)
                return key->kind == SS_KEY_TEXT || key->kind == SS_KEY_TEXTS;
    return false;
}

static ss_status refuse(const builder *b, const ss_tree_entry *entry, const ss_tree *node,
                        const char *why)
{
    return ss_fail_at(b->context, SS_INPUT, node->where, "%s: '%s' %s", b->source->owner,
                      entry->key, why);
}

/* Rows and columns of a value; a single text is 0 × 0. */
static ss_status measure(const builder *b, const ss_tree_entry *entry, int *rows, int *columns)
{
    const ss_tree *value = entry->value;
    *rows = *columns = 0;
    if (ss_tree_is_null(value))
        return refuse(b, entry, value, "has no value");
    if (value->kind == SS_TREE_MAP)
        return refuse(b, entry, value, "wants a value or a list, not a map");
    if (value->kind == SS_TREE_TEXT)
        return SS_OK;
    if (value->count == 0)
        return refuse(b, entry, value, "is an empty list; leave the key out or give values");
    bool nested = value->items[0]->kind == SS_TREE_LIST;
    size_t width = nested ? value->items[0]->count : 1;
    if (width == 0)
        return refuse(b, entry, value->items[0], "has an empty row");
    if (value->count * width > MOST_ITEMS)
        return refuse(b, entry, value, "has more than 1000000 values");
    *rows = (int)value->count;
    *columns = (int)width;
    return SS_OK;
}

static ss_status take_text(const builder *b, const ss_tree_entry *entry, const ss_tree *node,
                           ss_text *text)
{
    if (node->kind == SS_TREE_MAP)
        return refuse(
            b, entry, node,
            "wants values in its list, not a map; put a formula that contains ': ' in quotes");
    if (node->kind == SS_TREE_LIST)
        return refuse(b, entry, node, "has a list where the others are single values");
    if (ss_tree_is_null(node))
        return refuse(b, entry, node, "has an empty place in its list");
    *text = wants_names(b, entry->key) ? (ss_text){node->text, node->where} : node->spelled;
    return SS_OK;
}

static ss_status take_row(const builder *b, const ss_tree_entry *entry, const ss_tree *row,
                          int columns, ss_text *texts)
{
    if (row->kind != SS_TREE_LIST)
        return refuse(b, entry, row, "has a single value where the others are lists");
    if (row->count != (size_t)columns)
        return ss_fail_at(b->context, SS_INPUT, row->where,
                          "%s: '%s' has a row of %zu values where the first row has %d",
                          b->source->owner, entry->key, row->count, columns);
    for (int j = 0; j < columns; j++)
        SS_TRY(take_text(b, entry, row->items[j], &texts[j]));
    return SS_OK;
}

static ss_status take_texts(const builder *b, const ss_tree_entry *entry, int columns,
                            ss_text *texts)
{
    const ss_tree *value = entry->value;
    if (value->kind == SS_TREE_TEXT)
        return take_text(b, entry, value, texts);
    bool nested = value->items[0]->kind == SS_TREE_LIST;
    for (size_t i = 0; i < value->count; i++) {
        if (nested)
            SS_TRY(take_row(b, entry, value->items[i], columns, &texts[i * (size_t)columns]));
        else
            SS_TRY(take_text(b, entry, value->items[i], &texts[i]));
    }
    return SS_OK;
}

static ss_status add_entry(const builder *b, const ss_tree_entry *entry)
{
    int rows, columns;
    SS_TRY(measure(b, entry, &rows, &columns));
    size_t count = rows ? (size_t)rows * (size_t)columns : 1;
    void *texts;
    SS_TRY(ss_allocate(b->context, count, sizeof(ss_text), &texts));
    ss_status status = take_texts(b, entry, columns, texts);
    if (status == SS_OK)
        status = ss_args_set_texts(b->args, entry->key, entry->where, rows, columns, texts);
    ss_release(b->context, texts);
    return status;
}

static bool skipped(const ss_arguments_source *source, const char *key)
{
    for (int i = 0; i < 3; i++)
        if (source->skip[i] && strcmp(source->skip[i], key) == 0)
            return true;
    return false;
}

/* All keys that would be valid, the skipped ones too; returns how many. */
static size_t valid_keys(const ss_arguments_source *source, size_t capacity, const char **names)
{
    size_t count = 0;
    for (int t = 0; t < 2; t++)
        for (const ss_key *key = source->tables[t]; key && key->name && count < capacity; key++)
            names[count++] = key->name;
    for (int i = 0; i < 3 && count < capacity; i++)
        if (source->skip[i])
            names[count++] = source->skip[i];
    return count;
}

static ss_status refuse_unknown(const builder *b)
{
    const char *names[MOST_KEYS];
    char all[512] = "";
    size_t count = valid_keys(b->source, MOST_KEYS, names), used = 0;
    for (size_t i = 0; i < count && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    for (size_t i = 0; i < b->source->map->count; i++) {
        const ss_tree_entry *entry = &b->source->map->entries[i];
        size_t k = 0;
        while (k < count && strcmp(names[k], entry->key) != 0)
            k++;
        if (k < count)
            continue;
        const char *near = ss_nearest(entry->key, count, names);
        return ss_fail_at(b->context, SS_INPUT, entry->where,
                          "%s: unknown key '%s'%s%s%s (keys: %s)", b->source->owner, entry->key,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all);
    }
    return SS_OK;
}

static ss_status add_entries(const builder *b)
{
    const ss_tree *map = b->source->map;
    if (map->count > MOST_KEYS)
        return ss_fail_at(b->context, SS_INPUT, map->where, "%s: more than %d keys",
                          b->source->owner, MOST_KEYS);
    SS_TRY(refuse_unknown(b));
    for (size_t i = 0; i < map->count; i++)
        if (!skipped(b->source, map->entries[i].key))
            SS_TRY(add_entry(b, &map->entries[i]));
    return SS_OK;
}

ss_status ss_arguments_create(ss_context *context, const ss_arguments_source *source,
                              ss_args **args)
{
    SS_TRY(ss_args_create(context, args));
    ss_args_set_location(*args, source->where);
    builder b = {context, source, *args};
    ss_status status = add_entries(&b);
    if (status != SS_OK) {
        ss_args_destroy(*args);
        *args = NULL;
    }
    return status;
}
