/* tree.c: the tree of a scene, in which every node knows its place in the text. */
#include "scene/tree.h"

#include <stdio.h>
#include <string.h>

enum { NODE_WEIGHT = 64 };

ss_status ss_tree_new(ss_arena *arena, ss_tree_kind kind, ss_location where, ss_tree **node)
{
    SS_TRY(SS_ARENA_NEW(arena, 1, node));
    (*node)->kind = kind;
    (*node)->where = where;
    (*node)->weight = NODE_WEIGHT;
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

/* Room for one more element of a list or a map. */
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

ss_status ss_tree_put(ss_arena *arena, ss_tree *map, const char *key, ss_location where,
                      ss_tree *value)
{
    void *entries = map->entries;
    SS_TRY(grow(arena, map, sizeof *map->entries, &entries));
    map->entries = entries;
    map->entries[map->count++] = (ss_tree_entry){key, where, value};
    map->weight += value->weight + strlen(key);
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

static ss_status copy_map(ss_arena *arena, const ss_tree *map, ss_tree **copy)
{
    SS_TRY(ss_tree_new(arena, SS_TREE_MAP, map->where, copy));
    for (size_t i = 0; i < map->count; i++) {
        const ss_tree_entry *entry = &map->entries[i];
        SS_TRY(ss_tree_put(arena, *copy, entry->key, entry->where, entry->value));
    }
    return SS_OK;
}

ss_status ss_tree_open(ss_arena *arena, ss_tree *map, const char *key, ss_location where,
                       ss_tree **value)
{
    ss_tree_entry *entry = ss_tree_find(map, key);
    if (entry && entry->value->kind == SS_TREE_MAP) {
        SS_TRY(copy_map(arena, entry->value, value));
        entry->value = *value;
        return SS_OK;
    }
    SS_TRY(ss_tree_new(arena, SS_TREE_MAP, where, value));
    if (!entry)
        return ss_tree_put(arena, map, key, where, *value);
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
    if (ss_tree_is_null(node))
        return "nothing";
    switch (node->kind) {
    case SS_TREE_TEXT:
        return "a single value";
    case SS_TREE_LIST:
        return "a list";
    case SS_TREE_MAP:
        return "a map";
    }
    return "";
}

const char *ss_tree_nearest(const ss_tree *map, const char *word)
{
    const char *names[256];
    size_t count = 0;
    for (size_t i = 0; map && i < map->count && count < 256; i++)
        names[count++] = map->entries[i].key;
    return ss_nearest(word, count, names);
}

void ss_tree_keys(const ss_tree *map, size_t capacity, char *text)
{
    size_t used = 0;
    snprintf(text, capacity, "none");
    for (size_t i = 0; map && i < map->count; i++) {
        const char *key = map->entries[i].key;
        if (used + strlen(key) + sizeof ", …" >= capacity) {
            snprintf(text + used, capacity - used, "%s", used ? ", …" : "");
            return;
        }
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i ? ", " : "", key);
    }
}
