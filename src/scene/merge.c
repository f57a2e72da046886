/* merge.c: merges a scene file and the files it includes into one tree. */
#include "scene/merge.h"

#include "base/map.h"
#include "scene/path.h"
#include "scene/retype.h"
#include "scene/sections.h"

#include <string.h>

/* One section being merged. */
typedef struct merger {
    ss_arena *arena;
    ss_context *context;
    const ss_section *section;
    const ss_tree *own; /* this file's section, or NULL */
    ss_tree *merged;
    ss_map index; /* names → entries of `merged` */
} merger;

static ss_status fail_twice(const merger *m, const ss_tree_entry *entry, ss_location before)
{
    if (m->section->shape == SS_SECTION_OBJECTS)
        return ss_fail_at(m->context, SS_INPUT, entry->where,
                          "a second %s '%s'; the first stands in %s:%d:%d", m->section->thing,
                          entry->key, before.file, before.line, before.column);
    return ss_fail_at(
        m->context, SS_INPUT, entry->where,
        "%s: '%s' comes from two included files, this one and %s:%d:%d; give it in the "
        "file that includes them",
        m->section->name, entry->key, before.file, before.line, before.column);
}

static ss_status put(merger *m, const ss_tree_entry *entry)
{
    SS_TRY(ss_map_set(&m->index, entry->key, (int)m->merged->count));
    return ss_tree_put(m->arena, m->merged, entry->key, entry->where, entry->value);
}

static ss_status merge_included(merger *m, const ss_tree *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const ss_tree_entry *entry = &map->entries[i];
        int before;
        if (!ss_retype_keeps(m->section, map, ss_tree_find(m->own, "type"), entry))
            continue;
        if (!ss_map_find(&m->index, entry->key, &before)) {
            SS_TRY(put(m, entry));
            continue;
        }
        bool decided = m->section->shape != SS_SECTION_OBJECTS && ss_tree_find(m->own, entry->key);
        if (!decided)
            return fail_twice(m, entry, m->merged->entries[before].where);
    }
    return SS_OK;
}

static ss_status merge_own(merger *m)
{
    for (size_t i = 0; m->own && i < m->own->count; i++) {
        const ss_tree_entry *entry = &m->own->entries[i];
        int before;
        if (!ss_map_find(&m->index, entry->key, &before)) {
            SS_TRY(put(m, entry));
            continue;
        }
        if (m->section->shape == SS_SECTION_OBJECTS)
            return fail_twice(m, entry, m->merged->entries[before].where);
        m->merged->entries[before] = *entry;
    }
    return SS_OK;
}

/* A section's value and its entry; an empty section has a place but no value. */
static const ss_tree *section_of(const ss_tree *root, const char *name, const ss_tree_entry **entry)
{
    const ss_tree_entry *found = ss_tree_find(root, name);
    if (!found)
        return NULL;
    *entry = found;
    return ss_tree_is_null(found->value) ? NULL : found->value;
}

static ss_status merge_maps(merger *m, const ss_tree *own_root, const ss_tree *included,
                            const ss_tree_entry **place)
{
    m->own = section_of(own_root, m->section->name, place);
    for (size_t i = 0; i < included->count; i++) {
        const ss_tree *map = section_of(included->items[i], m->section->name, place);
        if (map)
            SS_TRY(merge_included(m, map));
    }
    section_of(own_root, m->section->name, place);
    return merge_own(m);
}

static ss_status merge_map_section(ss_arena *arena, const ss_section *section,
                                   const ss_tree *own_root, const ss_tree *included,
                                   ss_tree *merged)
{
    merger m = {.arena = arena, .context = arena->context, .section = section};
    const ss_tree_entry *place = NULL;
    ss_map_init(&m.index, arena->context);
    ss_status status = ss_tree_new(arena, SS_TREE_MAP, (ss_location){0}, &m.merged);
    if (status == SS_OK)
        status = merge_maps(&m, own_root, included, &place);
    ss_map_release(&m.index);
    if (status != SS_OK || !place)
        return status;
    m.merged->where = place->value->where;
    return ss_tree_put(arena, merged, section->name, place->where, m.merged);
}

/* Adds a plugin's path as seen from the first file's folder, once. */
static ss_status add_path(ss_arena *arena, ss_tree *list, const char *folder, const ss_tree *path)
{
    const char *joined;
    SS_TRY(ss_path_join(arena, folder, path->text, &joined));
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i]->text, joined) == 0)
            return SS_OK;
    ss_tree *item;
    SS_TRY(ss_tree_new_text(arena, joined, path->where, &item));
    item->quoted = path->quoted;
    return ss_tree_append(arena, list, item);
}

static ss_status add_paths(ss_arena *arena, ss_tree *list, const char *folder, const ss_tree *paths)
{
    if (paths->kind == SS_TREE_TEXT)
        return add_path(arena, list, folder, paths);
    for (size_t i = 0; i < paths->count; i++)
        SS_TRY(add_path(arena, list, folder, paths->items[i]));
    return SS_OK;
}

static ss_status merge_plugins(ss_arena *arena, const char *name, const ss_merge_file *own,
                               const ss_tree *included, ss_tree *merged)
{
    ss_tree *list;
    const ss_tree_entry *place = NULL;
    SS_TRY(ss_tree_new(arena, SS_TREE_LIST, (ss_location){0}, &list));
    for (size_t i = 0; i < included->count; i++) {
        const ss_tree *paths = section_of(included->items[i], name, &place);
        if (paths)
            SS_TRY(add_paths(arena, list, "", paths));
    }
    const ss_tree *paths = section_of(own->root, name, &place);
    if (paths)
        SS_TRY(add_paths(arena, list, own->folder, paths));
    if (!place)
        return SS_OK;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every entry has a value */
    list->where = place->value->where;
    return ss_tree_put(arena, merged, name, place->where, list);
}

static ss_status merge_section(ss_arena *arena, const ss_section *section, const ss_merge_file *own,
                               const ss_tree *included, ss_tree *merged)
{
    const ss_tree_entry *entry = NULL;
    switch (section->shape) {
    case SS_SECTION_FORMAT:
    case SS_SECTION_TEXT:
        if (!section_of(own->root, section->name, &entry))
            return SS_OK;
        return ss_tree_put(arena, merged, entry->key, entry->where, entry->value);
    case SS_SECTION_PATHS:
        if (strcmp(section->name, "include") == 0)
            return SS_OK;
        return merge_plugins(arena, section->name, own, included, merged);
    default:
        return merge_map_section(arena, section, own->root, included, merged);
    }
}

ss_status ss_merge(ss_arena *arena, const ss_merge_file *own, const ss_tree *included,
                   ss_tree **merged)
{
    SS_TRY(ss_tree_new(arena, SS_TREE_MAP, own->root->where, merged));
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        SS_TRY(merge_section(arena, ss_section_at(i), own, included, *merged));
    return SS_OK;
}
