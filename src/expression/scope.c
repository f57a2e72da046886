/* scope.c: names with numbers, which formulas may use. */
#include "expression/name.h"
#include "expression/name_table.h"

#include <math.h>

struct ss_scope {
    ss_context *context;
    ss_name_table table;
};

ss_status ss_scope_create(ss_context *context, ss_scope **scope)
{
    *scope = NULL;
    void *memory;
    SS_TRY(ss_allocate(context, 1, sizeof **scope, &memory));
    *scope = memory;
    (*scope)->context = context;
    ss_name_table_init(&(*scope)->table, context);
    return SS_OK;
}

void ss_scope_destroy(ss_scope *scope)
{
    if (!scope)
        return;
    ss_name_table_release(&scope->table);
    ss_release(scope->context, scope);
}

ss_status ss_scope_define(ss_scope *scope, const char *name, double value)
{
    if (isnan(value))
        return ss_fail(scope->context, SS_NON_FINITE, "the value of '%s' is not a number", name);
    ss_name_entry *entry = ss_name_table_find(&scope->table, name);
    if (entry) {
        entry->named.value = value;
        return SS_OK;
    }
    SS_TRY(ss_name_check(scope->context, &(ss_text){.text = name}));
    return ss_name_table_add(&scope->table, name, (ss_named){.value = value});
}

bool ss_scope_find(const ss_scope *scope, const char *name, double *value)
{
    const ss_name_entry *entry = ss_name_table_find(&scope->table, name);
    if (!entry)
        return false;
    *value = entry->named.value;
    return true;
}

size_t ss_scope_count(const ss_scope *scope)
{
    return scope->table.count;
}

const char *ss_scope_name(const ss_scope *scope, size_t index)
{
    return scope->table.entries[index].name;
}

double ss_scope_value(const ss_scope *scope, size_t index)
{
    return scope->table.entries[index].named.value;
}

void ss_scope_truncate(ss_scope *scope, size_t count)
{
    ss_name_table_truncate(&scope->table, count);
}
