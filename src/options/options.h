/* options.h: matching arguments with tables of keys. */
#ifndef SS_OPTIONS_OPTIONS_H
#define SS_OPTIONS_OPTIONS_H

#include "base/arena.h"

#include <stickslip/expression.h>

/* One argument: rows × columns items by rows; a single item is 0 × 0. */
typedef struct ss_item {
    bool is_number;
    double number;
    ss_text text;  /* text.text is NULL for a number; where is the item's place either way */
    ss_args *args; /* of a set, whose name is the text; NULL: none */
} ss_item;

typedef struct ss_arg {
    const char *key;
    ss_location where;
    int rows, columns;
    ss_item *items;
    bool sets;         /* the items are sets with parameters */
    ss_args **objects; /* of things by name: rows of them, items[i] has the name; NULL: values */
} ss_arg;

struct ss_args {
    ss_context *context;
    ss_arena arena;
    ss_location where;
    size_t count, capacity;
    ss_arg *list;
};

/* A table of keys and the struct its offsets refer to. */
typedef struct ss_option_table {
    const ss_key *keys; /* may be NULL */
    void *self;         /* zeroed by the caller */
    ss_arena *arena;    /* for its lists and texts; NULL: that of all tables */
} ss_option_table;

/* Fills the tables' structs from the arguments: what is given, else the defaults. Unknown keys, missing keys,
 * wrong kinds and numbers out of range fail with the place and the owner ("system 'toy'"). args and
 * scope may be NULL. Lists and texts are allocated in the arena. */
ss_status ss_options_bind_tables(ss_arena *arena, int count, const ss_option_table *tables,
                                 const ss_args *args, const ss_scope *scope, const char *owner);

/* The same for the one table of a type. */
ss_status ss_options_bind(ss_arena *arena, const ss_type *type, const ss_args *args,
                          const ss_scope *scope, const char *owner, void *self);

/* More keys than any type has, which keeps hostile maps from costing time. */
enum { SS_MOST_KEYS = 256 };
/* Adds the names of a table's keys (or NULL) behind the first `count` names; returns how many there are now. */
size_t ss_options_names(const ss_key *keys, size_t count, const char **names);
/* Fails unless a key is one of the names. */
ss_status ss_options_check_key(ss_context *context, size_t count, const char *const *names,
                               const ss_text *key, const char *owner);

/* An argument by key, or NULL; args may be NULL. */
const ss_arg *ss_args_find(const ss_args *args, const char *key);
/* Place of an argument, else of the arguments as a whole. */
ss_location ss_args_location(const ss_args *args, const char *key);

#endif
