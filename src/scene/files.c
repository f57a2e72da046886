/* files.c: reads a scene file with all it includes. */
#include "scene/files.h"

#include "scene/merge.h"
#include "scene/path.h"
#include "scene/sections.h"
#include "scene/yaml.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 1000 };

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
    bool alone;
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
    struct stat info;
    (*f)->parent = parent;
    (*f)->name = path;
    (*f)->folder = "";
    (*f)->identified = stat(path, &info) == 0;
    if ((*f)->identified) {
        (*f)->device = info.st_dev;
        (*f)->inode = info.st_ino;
    }
    (*f)->before = l->files;
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
        if (++depth > SS_SCENE_DEEPEST_INCLUDE)
            return ss_fail_at(l->context, SS_INPUT, where, "files include files deeper than %d",
                              SS_SCENE_DEEPEST_INCLUDE);
    }
    return SS_OK;
}

/* A file that two others include counts once. */
static bool read_before(const file *f)
{
    for (const file *other = f->before; other; other = other->before)
        if (same(other, f))
            return true;
    return false;
}

static ss_status include(loader *l, const file *parent, const ss_tree *item, ss_tree *included)
{
    const char *relative, *path, *folder;
    SS_TRY(ss_path_join(l->arena, parent->folder, item->text, &relative));
    SS_TRY(ss_path_join(l->arena, l->start, relative, &path));
    SS_TRY(ss_path_folder(l->arena, relative, &folder));
    file *f;
    SS_TRY(new_file(l, path, parent, item->where, &f));
    f->folder = folder;
    SS_TRY(check_chain(l, f, item->where));
    if (read_before(f))
        return SS_OK;
    ss_scene_source source;
    SS_TRY(ss_scene_source_read(l->arena, path, item->where, &source));
    ss_tree *root;
    SS_TRY(merge_file(l, &source, f, &root));
    return ss_tree_append(l->arena, included, root);
}

static ss_status include_all(loader *l, const file *parent, const ss_tree_entry *entry,
                             ss_tree *included)
{
    if (l->alone)
        return ss_fail_at(l->context, SS_INPUT, entry->where,
                          "'include' is not allowed here: the scene must be self-contained");
    const ss_tree *paths = entry->value;
    if (paths->kind == SS_TREE_TEXT)
        return include(l, parent, paths, included);
    for (size_t i = 0; i < paths->count; i++)
        SS_TRY(include(l, parent, paths->items[i], included));
    return SS_OK;
}

static ss_status merge_file(loader *l, const ss_scene_source *source, const file *f, ss_tree **root)
{
    ss_tree *own, *included;
    SS_TRY(ss_yaml_parse(l->arena, source, 0, &own));
    SS_TRY(ss_sections_check(l->context, own));
    SS_TRY(ss_tree_new(l->arena, SS_TREE_LIST, own->where, &included));
    const ss_tree_entry *entry = ss_tree_find(own, "include");
    if (entry && !ss_tree_is_null(entry->value))
        SS_TRY(include_all(l, f, entry, included));
    ss_merge_file merged = {own, f->folder};
    return ss_merge(l->arena, &merged, included, root);
}

ss_status ss_scene_files_merge(ss_arena *arena, const ss_scene_source *source, bool alone,
                               ss_tree **root)
{
    loader l = {.arena = arena, .context = arena->context, .alone = alone};
    file *first;
    SS_TRY(ss_path_folder(arena, source->file, &l.start));
    SS_TRY(new_file(&l, source->file, NULL, (ss_location){0}, &first));
    return merge_file(&l, source, first, root);
}
