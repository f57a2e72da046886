/* tree.h: what a scene file says, as a tree in which every word knows its place; reading and writing it.
 *
 * Nodes live in an arena. An alias is the same node in two places, so a node is never changed
 * once it is composed: ss_tree_open makes the copy that may be changed.
 */
#ifndef SS_SCENE_TREE_H
#define SS_SCENE_TREE_H

#include "base/context.h"
#include "base/writer.h"

#include <stickslip/import.h>

/* ---- Nodes ---- */

typedef enum ss_tree_kind { SS_TREE_TEXT, SS_TREE_LIST, SS_TREE_MAP } ss_tree_kind;

typedef struct ss_tree ss_tree;

typedef struct ss_tree_entry {
    const char *key;
    ss_location where; /* of the key */
    ss_tree *value;
} ss_tree_entry;

struct ss_tree {
    ss_tree_kind kind;
    bool quoted;       /* text in quotes or in a block: never null */
    ss_location where; /* of the first character of a text, the first item or key, the bracket */
    const char *text;  /* SS_TREE_TEXT: the value, lines folded as YAML says */
    ss_text
        spelled;  /* SS_TREE_TEXT: the value as the file has it, lines and all: for expressions */
    size_t count; /* of a list or a map */
    size_t capacity;
    ss_tree **items;        /* SS_TREE_LIST */
    ss_tree_entry *entries; /* SS_TREE_MAP, in the order of the file, keys unique */
    size_t weight;          /* bytes, about, with every alias written out */
};

ss_status ss_tree_new(ss_arena *arena, ss_tree_kind kind, ss_location where, ss_tree **node);
/* The text is copied. */
ss_status ss_tree_new_text(ss_arena *arena, const char *text, ss_location where, ss_tree **node);
ss_status ss_tree_append(ss_arena *arena, ss_tree *list, ss_tree *item);
/* Adds an entry; the caller knows that the key is new. The key is not copied. */
ss_status ss_tree_put(ss_arena *arena, ss_tree *map, const ss_tree_entry *entry);

/* The entry of a key, or NULL. map may be NULL. */
ss_tree_entry *ss_tree_find(const ss_tree *map, const char *key);
/* The value of a key, or NULL when it is missing or says nothing. */
const ss_tree *ss_tree_value(const ss_tree *map, const char *key);
/* The value of an entry replaced by a copy that may be changed; made when the key is missing, as
 * an empty map. */
ss_status ss_tree_open(ss_arena *arena, ss_tree *map, const char *key, ss_location where,
                       ss_tree **value);

/* Nothing given: an empty value, ~ or null. node may be NULL. */
bool ss_tree_is_null(const ss_tree *node);
/* "a single value", "a list", "a map", "nothing" */
const char *ss_tree_names(const ss_tree *node);

/* ---- Files and their texts ---- */

/* The text of a scene file, clean: UTF-8 without byte order mark and control characters, lines that
 * end with a line feed. */
typedef struct ss_scene_source {
    const char *file; /* name for messages, kept by the context */
    const char *text;
    size_t length;
} ss_scene_source;

/* Reads a file, or imports one of another format. `from` is the place that asked for it (line 0: nobody). */
ss_status ss_scene_source_read(ss_arena *arena, const char *path, ss_location from,
                               const ss_import_options *how, ss_scene_source *source);
/* Whether a text is UTF-8 without control characters other than tab and line feed. */
bool ss_scene_source_is_clean(const char *text, size_t length);
/* Cleans a text and makes it known to the context, so that messages can show its lines. */
ss_status ss_scene_source_take(ss_arena *arena, const char *file, const char *text, size_t length,
                               ss_scene_source *source);

/* The tree of a source's one document, by libfyaml; an empty document gives an empty text. The text
 * that counts begins at `first` (a value on the command line stands behind its name), and the places
 * refer to the whole source. */
ss_status ss_yaml_parse(ss_arena *arena, const ss_scene_source *source, size_t first,
                        ss_tree **root);

/* Paths in scenes are relative to the file they stand in. A folder has its last slash, or is "". */
ss_status ss_path_folder(ss_arena *arena, const char *file, const char **folder);
/* A path as seen from the folder; absolute paths stay. */
ss_status ss_path_join(ss_arena *arena, const char *folder, const char *path, const char **joined);
/* The absolute path of a folder. */
ss_status ss_path_absolute(ss_arena *arena, const char *folder, const char **absolute);
/* The name of a file without folder and ending: "woodpecker". */
ss_status ss_path_stem(ss_arena *arena, const char *file, const char **stem);

/* ---- Writing ---- */

/* JSON with indentation. Members of an object have a key, items of a list have NULL. */
void ss_json_open(ss_writer *writer, const char *key, char bracket); /* '{' or '[' */
/* Closes as many as there are brackets: "]}" */
void ss_json_close(ss_writer *writer, const char *brackets);
void ss_json_text(ss_writer *writer, const char *key, const char *text);
/* A number, true, false or anything else that is JSON as it stands. */
void ss_json_raw(ss_writer *writer, const char *key, const char *raw);
void ss_json_number(ss_writer *writer, const char *key, double value);

/* The tree as YAML that gives the same tree when parsed. The caller releases the text. */
ss_status ss_emit(ss_context *context, const ss_tree *root, char **text);

#endif
