/* map.h: names → numbers. */
#ifndef SS_BASE_MAP_H
#define SS_BASE_MAP_H

#include "base/arena.h"

/* Fowler, Noll and Vo's hash, FNV-1a: of numbers in their order. */
#define SS_HASH_START 14695981039346656037u
static inline uint64_t ss_hash_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * 1099511628211u;
}

typedef struct ss_map_slot {
    const char *name; /* NULL: empty */
    int value;
} ss_map_slot;

typedef struct ss_map {
    ss_context *context;
    size_t count, capacity; /* capacity is a power of two, or 0 */
    ss_map_slot *slots;
} ss_map;

void ss_map_init(ss_map *map, ss_context *context);
void ss_map_release(ss_map *map);
/* Adds or replaces; the name is borrowed when it is new. */
ss_status ss_map_set(ss_map *map, const char *name, int value);
/* Reserves memory for `more` new names, so that setting them cannot fail. */
ss_status ss_map_reserve(ss_map *map, size_t more);
/* Takes a name out; nothing happens when it is not there. */
void ss_map_remove(ss_map *map, const char *name);
bool ss_map_find(const ss_map *map, const char *name, int *value);

#endif
