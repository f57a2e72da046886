/* files.c: reads a scene file with all it includes and merges them into one tree. */
#include "base/map.h"
#include "scene/scene.h"

#include <stickslip/simulation.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 1000, DEEPEST_INCLUDE = 16 };

/* A file being read, or read before. */
typedef struct file {
    const struct file *parent; /* the file that includes it */
    struct file *before;       /* in the list of all files */
    const char *name;          /* for messages */
    const char *folder;        /* as seen from the first file's folder */
    bool identified;
    dev_t device;
    ino_t inode;
} file;

typedef struct loader {
    ss_arena *arena;
    ss_context *context;
    const char *start; /* folder of the first file as it was given */
    const ss_scene_options *options;
    int count;
    file *files;
} loader;

static ss_status merge_file(loader *l, const ss_scene_source *source, const file *f,
                            ss_tree **root);

static ss_status new_file(loader *l, const char *path, const file *parent, ss_location where,
                          file **f)
{
    if (l->count++ == MOST_FILES)
        return ss_fail_at(l->context, SS_INPUT, where, "more than %d files are included",
                          MOST_FILES);
    SS_TRY(SS_ARENA_NEW(l->arena, 1, f));
    struct stat info = {0};
    bool identified = stat(path, &info) == 0;
    **f = (file){.parent = parent,
                 .before = l->files,
                 .name = path,
                 .folder = "",
                 .identified = identified,
                 .device = info.st_dev,
                 .inode = info.st_ino};
    l->files = *f;
    return SS_OK;
}

static bool same(const file *a, const file *b)
{
    return a->identified && b->identified && a->device == b->device && a->inode == b->inode;
}

static ss_status fail_cycle(const loader *l, const file *f, const file *again, ss_location where)
{
    char chain[512];
    size_t used = (size_t)snprintf(chain, sizeof chain, "%s", f->name);
    for (const file *p = f->parent; p && used < sizeof chain; p = p->parent) {
        used += (size_t)snprintf(chain + used, sizeof chain - used, ", included by %s", p->name);
        if (p == again)
            break;
    }
    return ss_fail_at(l->context, SS_INPUT, where, "the file includes itself: %s", chain);
}

static ss_status check_chain(const loader *l, const file *f, ss_location where)
{
    int depth = 0;
    for (const file *p = f->parent; p; p = p->parent) {
        if (same(p, f))
            return fail_cycle(l, f, p, where);
        if (++depth > DEEPEST_INCLUDE)
            return ss_fail_at(l->context, SS_INPUT, where, "files include files deeper than %d",
                              DEEPEST_INCLUDE);
    }
    return SS_OK;
}

/* The paths of a section (or NULL): one, or a list of them. */
static size_t path_count(const ss_tree *paths)
{
    return !paths ? 0 : paths->kind == SS_TREE_TEXT ? 1 : paths->count;
}

static const ss_tree *path_at(const ss_tree *paths, size_t i)
{
    return paths->kind == SS_TREE_TEXT ? paths : paths->items[i];
}

static ss_status include(loader *l, const file *parent, const ss_tree *item, ss_tree *included)
{
    const char *relative, *path, *folder;
    SS_TRY(ss_path_join(l->arena, parent->folder, item->text, &relative));
    SS_TRY(ss_path_join(l->arena, l->start, relative, &path));
    SS_TRY(ss_path_folder(l->arena, relative, &folder));
    if (!l->options->allow_outside && !ss_file_is_below(path, l->start))
        return ss_fail_at(l->context, SS_INPUT, item->where,
                          "'%s' is not below the folder of the scene; --allow-outside allows that",
                          item->text);
    file *f;
    SS_TRY(new_file(l, path, parent, item->where, &f));
    f->folder = folder;
    SS_TRY(check_chain(l, f, item->where));
    for (const file *other = f->before; other; other = other->before)
        if (same(other, f)) /* a file that two others include counts once */
            return SS_OK;
    ss_scene_source source;
    ss_import_options how = {l->options->allow_outside, folder};
    SS_TRY(ss_scene_source_read(l->arena, path, item->where, &how, &source));
    ss_tree *root;
    SS_TRY(merge_file(l, &source, f, &root));
    return ss_tree_append(l->arena, included, root);
}

static ss_status merge_file(loader *l, const ss_scene_source *source, const file *f, ss_tree **root)
{
    ss_tree *own, *included;
    SS_TRY(ss_yaml_parse(l->arena, source, 0, &own));
    SS_TRY(ss_sections_check(l->context, own));
    SS_TRY(ss_tree_new(l->arena, SS_TREE_LIST, own->where, &included));
    const ss_tree *paths = ss_tree_value(own, "include");
    if (paths && l->options->self_contained)
        return ss_fail_at(l->context, SS_INPUT, ss_tree_find(own, "include")->where,
                          "'include' is not allowed here: the scene must be self-contained");
    for (size_t i = 0; i < path_count(paths); i++)
        SS_TRY(include(l, f, path_at(paths, i), included));
    ss_merge_file merged = {own, f->folder};
    return ss_merge(l->arena, &merged, included, root);
}

ss_status ss_scene_files_merge(ss_arena *arena, const ss_scene_source *source,
                               const ss_scene_options *options, ss_tree **root)
{
    loader l = {.arena = arena, .context = arena->context, .options = options};
    file *first;
    SS_TRY(ss_path_folder(arena, source->file, &l.start));
    SS_TRY(new_file(&l, source->file, NULL, (ss_location){0}, &first));
    return merge_file(&l, source, first, root);
}

/* ---- Merging ---- */

static const char *text_of(const ss_tree_entry *entry)
{
    return entry && entry->value->kind == SS_TREE_TEXT ? entry->value->text : NULL;
}

bool ss_retype_keeps(const ss_section *section, const ss_tree *before, const ss_tree_entry *type,
                     const ss_tree_entry *entry)
{
    if (section->shape != SS_SECTION_OPTIONS || section->type < 0 ||
        strcmp(entry->key, "type") == 0)
        return true;
    const char *is = text_of(type), *was = text_of(ss_tree_find(before, "type"));
    was = was ? was : section->default_value;
    if (!is || !was || strcmp(is, was) == 0)
        return true;
    const ss_key *common = ss_common_keys((ss_type_kind)section->type);
    for (; common && common->name; common++)
        if (strcmp(entry->key, common->name) == 0)
            return true;
    return false;
}

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

/* Adds the entries of an included file's section, or of this file's own, which win. */
static ss_status merge_map(merger *m, const ss_tree *map)
{
    bool own = map == m->own, objects = m->section->shape == SS_SECTION_OBJECTS;
    for (size_t i = 0; map && i < map->count; i++) {
        const ss_tree_entry *entry = &map->entries[i];
        int before;
        if (!own && !ss_retype_keeps(m->section, map, ss_tree_find(m->own, "type"), entry))
            continue;
        if (!ss_map_find(&m->index, entry->key, &before)) {
            SS_TRY(ss_map_set(&m->index, entry->key, (int)m->merged->count));
            SS_TRY(ss_tree_put(m->arena, m->merged, entry));
            continue;
        }
        if (objects || (!own && !ss_tree_find(m->own, entry->key)))
            return fail_twice(m, entry, m->merged->entries[before].where);
        if (own)
            m->merged->entries[before] = *entry;
    }
    return SS_OK;
}

/* A section's value and its entry; an empty section has a place but no value. */
static const ss_tree *section_of(const ss_tree *root, const char *name, const ss_tree_entry **entry)
{
    const ss_tree_entry *found = ss_tree_find(root, name);
    *entry = found ? found : *entry;
    return ss_tree_value(root, name);
}

static ss_status merge_map_section(ss_arena *arena, const ss_section *section,
                                   const ss_tree *own_root, const ss_tree *included,
                                   ss_tree *merged)
{
    merger m = {.arena = arena, .context = arena->context, .section = section};
    const ss_tree_entry *place = NULL;
    m.own = ss_tree_value(own_root, section->name);
    ss_map_init(&m.index, arena->context);
    ss_status status = ss_tree_new(arena, SS_TREE_MAP, (ss_location){0}, &m.merged);
    for (size_t i = 0; status == SS_OK && i < included->count; i++)
        status = merge_map(&m, section_of(included->items[i], section->name, &place));
    section_of(own_root, section->name, &place);
    if (status == SS_OK)
        status = merge_map(&m, m.own);
    ss_map_release(&m.index);
    if (status != SS_OK || !place)
        return status;
    m.merged->where = place->value->where;
    return ss_tree_put(arena, merged, &(ss_tree_entry){section->name, place->where, m.merged});
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

static ss_status merge_plugins(ss_arena *arena, const char *name, const ss_merge_file *own,
                               const ss_tree *included, ss_tree *merged)
{
    ss_tree *list;
    const ss_tree_entry *place = NULL;
    SS_TRY(ss_tree_new(arena, SS_TREE_LIST, (ss_location){0}, &list));
    for (size_t i = 0; i <= included->count; i++) { /* this file's own last */
        bool last = i == included->count;
        const ss_tree *paths = section_of(last ? own->root : included->items[i], name, &place);
        for (size_t k = 0; k < path_count(paths); k++)
            SS_TRY(add_path(arena, list, last ? own->folder : "", path_at(paths, k)));
    }
    if (!place)
        return SS_OK;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every entry has a value */
    list->where = place->value->where;
    return ss_tree_put(arena, merged, &(ss_tree_entry){name, place->where, list});
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
        return ss_tree_put(arena, merged, entry);
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
        SS_TRY(merge_section(arena, &ss_sections[i], own, included, *merged));
    return SS_OK;
}
