/* tree.c: the tree of a scene, in which every node knows its place in the text. */
#include "scene/tree.h"

#include <string.h>

enum { NODE_WEIGHT = 64 };

ss_status ss_tree_new(ss_arena *arena, ss_tree_kind kind, ss_location where, ss_tree **node)
{
    SS_TRY(SS_ARENA_NEW(arena, 1, node));
    **node = (ss_tree){.kind = kind, .where = where, .weight = NODE_WEIGHT};
    return SS_OK;
}

ss_status ss_tree_new_text(ss_arena *arena, const char *text, ss_location where, ss_tree **node)
{
    SS_TRY(ss_tree_new(arena, SS_TREE_TEXT, where, node));
    SS_TRY(ss_arena_copy_string(arena, text, &(*node)->text));
    (*node)->spelled = (ss_text){(*node)->text, where};
    (*node)->weight += strlen(text);
    return SS_OK;
}

/* Memory for one more element of a list or a map. */
static ss_status grow(ss_arena *arena, ss_tree *node, size_t size, void **elements)
{
    if (node->count < node->capacity)
        return SS_OK;
    size_t capacity = node->capacity ? 2 * node->capacity : 4;
    void *grown;
    SS_TRY(ss_arena_allocate(arena, capacity, size, &grown));
    if (node->count)
        memcpy(grown, *elements, node->count * size);
    *elements = grown;
    node->capacity = capacity;
    return SS_OK;
}

ss_status ss_tree_append(ss_arena *arena, ss_tree *list, ss_tree *item)
{
    void *items = list->items;
    SS_TRY(grow(arena, list, sizeof *list->items, &items));
    list->items = items;
    list->items[list->count++] = item;
    list->weight += item->weight;
    return SS_OK;
}

ss_status ss_tree_put(ss_arena *arena, ss_tree *map, const ss_tree_entry *entry)
{
    void *entries = map->entries;
    SS_TRY(grow(arena, map, sizeof *map->entries, &entries));
    map->entries = entries;
    map->entries[map->count++] = *entry;
    map->weight += entry->value->weight + strlen(entry->key);
    return SS_OK;
}

ss_tree_entry *ss_tree_find(const ss_tree *map, const char *key)
{
    if (!map || map->kind != SS_TREE_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->entries[i].key, key) == 0)
            return &map->entries[i];
    return NULL;
}

const ss_tree *ss_tree_value(const ss_tree *map, const char *key)
{
    const ss_tree_entry *entry = ss_tree_find(map, key);
    return entry && !ss_tree_is_null(entry->value) ? entry->value : NULL;
}

ss_status ss_tree_open(ss_arena *arena, ss_tree *map, const char *key, ss_location where,
                       ss_tree **value)
{
    ss_tree_entry *entry = ss_tree_find(map, key);
    const ss_tree *before = entry && entry->value->kind == SS_TREE_MAP ? entry->value : NULL;
    SS_TRY(ss_tree_new(arena, SS_TREE_MAP, before ? before->where : where, value));
    for (size_t i = 0; before && i < before->count; i++)
        SS_TRY(ss_tree_put(arena, *value, &before->entries[i]));
    if (!entry)
        return ss_tree_put(arena, map, &(ss_tree_entry){key, where, *value});
    entry->value = *value;
    return SS_OK;
}

bool ss_tree_is_null(const ss_tree *node)
{
    if (!node)
        return true;
    if (node->kind != SS_TREE_TEXT || node->quoted)
        return false;
    return node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}

const char *ss_tree_names(const ss_tree *node)
{
    static const char *const names[] = {"a single value", "a list", "a map"};
    return ss_tree_is_null(node) ? "nothing" : names[node->kind];
}
