/* name_table.h: names in the order they were added, found by hashing. */
#ifndef SS_EXPRESSION_NAME_TABLE_H
#define SS_EXPRESSION_NAME_TABLE_H

#include "base/arena.h"

#include <stickslip/expression.h>

/* What a name stands for: a node in a graph, a number in a scope. */
typedef union ss_named {
    ss_node node;
    double value;
} ss_named;

typedef struct ss_name_entry {
    const char *name;
    ss_named named;
} ss_name_entry;

typedef struct ss_name_table {
    ss_context *context;
    ss_arena arena; /* the names */
    ss_name_entry *entries;
    size_t count, capacity;
    size_t
        *buckets; /* 1 + index of an entry, 0: free; a power of two of them, at most half taken */
    size_t bucket_count;
} ss_name_table;

void ss_name_table_init(ss_name_table *table, ss_context *context);
void ss_name_table_release(ss_name_table *table);

/* The entry of a name, or NULL. Valid until the next one is added. */
ss_name_entry *ss_name_table_find(const ss_name_table *table, const char *name);
/* Adds a name that is not in the table yet. */
ss_status ss_name_table_add(ss_name_table *table, const char *name, ss_named named);
/* Removes all but the first `count` names. */
void ss_name_table_truncate(ss_name_table *table, size_t count);
/* The same for the names of a scope (scope.c). */
void ss_scope_truncate(ss_scope *scope, size_t count);

#endif
