/* name_table.c: names in the order they were added, found by hashing. */
#include "expression/name_table.h"

#include <string.h>

void ss_name_table_init(ss_name_table *table, ss_context *context)
{
    *table = (ss_name_table){.context = context};
    ss_arena_init(&table->arena, context);
}

void ss_name_table_release(ss_name_table *table)
{
    ss_arena_release(&table->arena);
    ss_release(table->context, table->entries);
    ss_release(table->context, table->buckets);
}

/* FNV-1a */
static size_t hash(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

/* The bucket of a name, or the free one where it belongs. */
static size_t *bucket(const ss_name_table *table, const char *name)
{
    size_t mask = table->bucket_count - 1;
    size_t i = hash(name) & mask;
    while (table->buckets[i] && strcmp(table->entries[table->buckets[i] - 1].name, name) != 0)
        i = (i + 1) & mask;
    return &table->buckets[i];
}

ss_name_entry *ss_name_table_find(const ss_name_table *table, const char *name)
{
    if (table->count == 0)
        return NULL;
    size_t found = *bucket(table, name);
    return found ? &table->entries[found - 1] : NULL;
}

static ss_status grow(ss_name_table *table)
{
    size_t capacity = table->capacity ? 2 * table->capacity : 16;
    void *entries = table->entries;
    SS_TRY(ss_reallocate(table->context, capacity, sizeof *table->entries, &entries));
    table->entries = entries;
    void *buckets;
    SS_TRY(ss_allocate(table->context, 2 * capacity, sizeof *table->buckets, &buckets));
    ss_release(table->context, table->buckets);
    table->buckets = buckets;
    table->bucket_count = 2 * capacity;
    table->capacity = capacity;
    for (size_t i = 0; i < table->count; i++)
        *bucket(table, table->entries[i].name) = i + 1;
    return SS_OK;
}

ss_status ss_name_table_add(ss_name_table *table, const char *name, ss_named named)
{
    if (table->count == table->capacity)
        SS_TRY(grow(table));
    const char *copy;
    SS_TRY(ss_arena_copy_string(&table->arena, name, &copy));
    table->entries[table->count++] = (ss_name_entry){copy, named};
    *bucket(table, copy) = table->count;
    return SS_OK;
}

void ss_name_table_truncate(ss_name_table *table, size_t count)
{
    if (count >= table->count)
        return;
    table->count = count;
    memset(table->buckets, 0, table->bucket_count * sizeof *table->buckets);
    for (size_t i = 0; i < count; i++)
        *bucket(table, table->entries[i].name) = i + 1;
}
