/* map.c: maps names to numbers by hashing. */
#include "base/map.h"

#include <string.h>

void ss_map_init(ss_map *map, ss_context *context)
{
    *map = (ss_map){.context = context};
}

void ss_map_release(ss_map *map)
{
    ss_release(map->context, map->slots);
    *map = (ss_map){.context = map->context};
}

/* FNV-1a */
static size_t hash(const char *name)
{
    uint64_t h = SS_HASH_START;
    for (; *name; name++)
        h = ss_hash_number(h, (unsigned char)*name);
    return (size_t)h;
}

/* The slot of a name, or the empty slot where it belongs. */
static ss_map_slot *slot_of(const ss_map *map, const char *name)
{
    size_t mask = map->capacity - 1;
    size_t i = hash(name) & mask;
    while (map->slots[i].name && strcmp(map->slots[i].name, name) != 0)
        i = (i + 1) & mask;
    return &map->slots[i];
}

static ss_status grow(ss_map *map)
{
    ss_map larger = *map;
    larger.capacity = map->capacity ? 2 * map->capacity : 64;
    SS_TRY(SS_NEW(map->context, larger.capacity, &larger.slots));
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].name)
            *slot_of(&larger, map->slots[i].name) = map->slots[i];
    ss_release(map->context, map->slots);
    *map = larger;
    return SS_OK;
}

ss_status ss_map_reserve(ss_map *map, size_t more)
{
    while (2 * (map->count + more) > map->capacity)
        SS_TRY(grow(map));
    return SS_OK;
}

/* Names behind the gap that belong before it move up, so that every name is found from its own slot on. */
void ss_map_remove(ss_map *map, const char *name)
{
    ss_map_slot *slot = map->capacity ? slot_of(map, name) : NULL;
    if (!slot || !slot->name)
        return;
    size_t mask = map->capacity - 1, gap = (size_t)(slot - map->slots);
    for (size_t i = (gap + 1) & mask; map->slots[i].name; i = (i + 1) & mask) {
        size_t home = hash(map->slots[i].name) & mask;
        if (((i - home) & mask) < ((i - gap) & mask))
            continue;
        map->slots[gap] = map->slots[i];
        gap = i;
    }
    map->slots[gap] = (ss_map_slot){0};
    map->count--;
}

ss_status ss_map_set(ss_map *map, const char *name, int value)
{
    SS_TRY(ss_map_reserve(map, 1));
    ss_map_slot *slot = slot_of(map, name);
    map->count += slot->name == NULL;
    *slot = (ss_map_slot){slot->name ? slot->name : name, value};
    return SS_OK;
}

bool ss_map_find(const ss_map *map, const char *name, int *value)
{
    if (!map->capacity)
        return false;
    const ss_map_slot *slot = slot_of(map, name);
    if (slot->name)
        *value = slot->value;
    return slot->name != NULL;
}
