/* tree.h: what a scene file says, as a tree in which every word knows its place.
 *
 * Nodes live in an arena. An alias is the same node in two places, so a node is never changed
 * once it is composed: ss_tree_open makes the copy that may be changed.
 */
#ifndef SS_SCENE_TREE_H
#define SS_SCENE_TREE_H

#include "base/arena.h"

#include <stickslip/options.h>

typedef enum ss_tree_kind { SS_TREE_TEXT, SS_TREE_LIST, SS_TREE_MAP } ss_tree_kind;

typedef struct ss_tree ss_tree;

typedef struct ss_tree_entry {
    const char *key;
    ss_location where; /* of the key */
    ss_tree *value;
} ss_tree_entry;

struct ss_tree {
    ss_tree_kind kind;
    bool quoted; /* text in quotes or in a block: never null */
    ss_location
        where; /* of the first character of a text; of the first item or key; of the bracket */
    const char *text; /* SS_TREE_TEXT: the value, lines folded as YAML says */
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
ss_status ss_tree_put(ss_arena *arena, ss_tree *map, const char *key, ss_location where,
                      ss_tree *value);

/* The entry of a key, or NULL. map may be NULL. */
ss_tree_entry *ss_tree_find(const ss_tree *map, const char *key);
/* The value of an entry replaced by a copy that may be changed; made when the key is missing, as
 * an empty map. */
ss_status ss_tree_open(ss_arena *arena, ss_tree *map, const char *key, ss_location where,
                       ss_tree **value);

/* Nothing given: an empty value, ~ or null. node may be NULL. */
bool ss_tree_is_null(const ss_tree *node);
/* "a text", "a list", "a map", "nothing" */
const char *ss_tree_names(const ss_tree *node);
/* The nearest key of a map to a word, or NULL. */
const char *ss_tree_nearest(const ss_tree *map, const char *word);
/* "a, b, c": the first keys of a map that fit. */
void ss_tree_keys(const ss_tree *map, size_t capacity, char *text);

#endif
