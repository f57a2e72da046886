/* names.c: names and what they stand for; a scope is a table of names with numbers. */
#include "base/context.h"
#include "expression/graph.h"
#include "expression/token.h"

void ss_name_table_init(ss_name_table *table, ss_context *context)
{
    *table = (ss_name_table){.index.context = context};
    ss_arena_init(&table->arena, context);
}

void ss_name_table_release(ss_name_table *table)
{
    ss_release(table->arena.context, table->entries);
    ss_map_release(&table->index);
    ss_arena_release(&table->arena);
}

ss_name_entry *ss_name_table_find(const ss_name_table *table, const char *name)
{
    int found;
    return ss_map_find(&table->index, name, &found) ? &table->entries[found] : NULL;
}

ss_status ss_name_table_add(ss_name_table *table, const char *name, ss_named named)
{
    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 16;
        SS_TRY(SS_RESIZE(table->arena.context, capacity, &table->entries));
        table->capacity = capacity;
    }
    const char *copy;
    SS_TRY(ss_arena_copy_string(&table->arena, name, &copy));
    SS_TRY(ss_map_set(&table->index, copy, (int)table->count));
    table->entries[table->count++] = (ss_name_entry){copy, named};
    return SS_OK;
}

/* ---- Scopes ---- */

struct ss_scope {
    ss_name_table table;
};

ss_status ss_scope_create(ss_context *context, ss_scope **scope)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, scope);
    SS_TRY(SS_NEW(context, 1, scope));
    ss_name_table_init(&(*scope)->table, context);
    return SS_OK;
}

void ss_scope_destroy(ss_scope *scope)
{
    if (!scope)
        return;
    ss_name_table_release(&scope->table);
    ss_release(scope->table.arena.context, scope);
}

ss_status ss_scope_define(ss_scope *scope, const char *name, double value)
{
    SS_GIVEN(NULL, scope);
    SS_GIVEN(scope->table.arena.context, name);
    ss_context *context = scope->table.arena.context;
    if (isnan(value))
        return ss_fail(context, SS_NON_FINITE, "the value of '%s' is not a number", name);
    ss_name_entry *entry = ss_name_table_find(&scope->table, name);
    if (entry) {
        entry->named.value = value;
        return SS_OK;
    }
    SS_TRY(ss_name_check(context, &(ss_text){.text = name}));
    return ss_name_table_add(&scope->table, name, (ss_named){.value = value});
}

bool ss_scope_find(const ss_scope *scope, const char *name, double *value)
{
    const ss_name_entry *entry = ss_name_table_find(&scope->table, name);
    if (entry)
        *value = entry->named.value;
    return entry != NULL;
}

size_t ss_scope_count(const ss_scope *scope)
{
    return scope->table.count;
}

const char *ss_scope_name(const ss_scope *scope, size_t index)
{
    return index < ss_scope_count(scope) ? scope->table.entries[index].name : NULL;
}

double ss_scope_value(const ss_scope *scope, size_t index)
{
    return index < ss_scope_count(scope) ? scope->table.entries[index].named.value : NAN;
}

void ss_scope_truncate(ss_scope *scope, size_t count)
{
    ss_name_table *table = &scope->table;
    while (table->count > count)
        ss_map_remove(&table->index, table->entries[--table->count].name);
}

static ss_status resolve(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    double value;
    if (!ss_scope_find(user, name, &value))
        return SS_UNKNOWN_NAME;
    return ss_graph_constant(graph, value, node);
}

static size_t names(void *user, size_t capacity, const char **all)
{
    const ss_scope *scope = user;
    for (size_t i = 0; i < capacity && i < ss_scope_count(scope); i++)
        all[i] = ss_scope_name(scope, i);
    return ss_scope_count(scope);
}

ss_resolver ss_scope_resolver(const ss_scope *scope)
{
    return (ss_resolver){.user = (void *)scope, .resolve = resolve, .names = names};
}
