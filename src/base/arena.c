/* arena.c: memory that is released all at once. */
#include "base/arena.h"

#include <string.h>

enum { SS_ARENA_ALIGN = 64, SS_ARENA_SMALL = 16, SS_ARENA_CHUNK = 16384 };

struct ss_arena_chunk {
    ss_arena_chunk *next;
    size_t used;
    size_t capacity;
};

void ss_arena_init(ss_arena *arena, ss_context *context)
{
    *arena = (ss_arena){.context = context};
}

void ss_arena_release(ss_arena *arena)
{
    arena->wanted = 0;
    while (arena->chunks) {
        ss_arena_chunk *next = arena->chunks->next;
        ss_release(arena->context, arena->chunks);
        arena->chunks = next;
    }
}

void ss_arena_reset(ss_arena *arena)
{
    size_t all = 0;
    for (const ss_arena_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        all += chunk->capacity;
    if (!arena->chunks)
        return;
    if (arena->chunks->next) {
        ss_arena_release(arena);
        arena->wanted = all;
        return;
    }
    memset(arena->chunks + 1, 0, arena->chunks->used);
    arena->chunks->used = 0;
}

/* Small things need no more than any type does. */
static char *aligned(char *memory, size_t bytes)
{
    uintptr_t align = bytes < SS_ARENA_ALIGN ? SS_ARENA_SMALL : SS_ARENA_ALIGN;
    uintptr_t misfit = (uintptr_t)memory % align;
    return misfit ? memory + (align - misfit) : memory;
}

static ss_status add_chunk(ss_arena *arena, size_t bytes)
{
    size_t least = arena->wanted > SS_ARENA_CHUNK ? arena->wanted : SS_ARENA_CHUNK;
    size_t capacity = bytes + SS_ARENA_ALIGN > least ? bytes + SS_ARENA_ALIGN : least;
    void *memory;
    SS_TRY(ss_allocate(arena->context, 1, sizeof(ss_arena_chunk) + capacity, &memory));
    ss_arena_chunk *chunk = memory;
    *chunk = (ss_arena_chunk){.next = arena->chunks, .capacity = capacity};
    arena->chunks = chunk;
    arena->wanted = 0;
    return SS_OK;
}

/* The next aligned place in the newest chunk, or NULL when it does not fit. */
static void *take(ss_arena_chunk *chunk, size_t bytes)
{
    if (!chunk)
        return NULL;
    char *first = (char *)(chunk + 1);
    char *place = aligned(first + chunk->used, bytes);
    size_t offset = (size_t)(place - first);
    if (offset > chunk->capacity || bytes > chunk->capacity - offset)
        return NULL;
    chunk->used = offset + bytes;
    return place;
}

ss_status ss_arena_allocate(ss_arena *arena, size_t count, size_t size, void **memory)
{
    *memory = NULL;
    if (size && count > (SIZE_MAX / 4) / size)
        return ss_fail(arena->context, SS_MEMORY, "out of memory: %zu × %zu bytes", count, size);
    size_t bytes = count * size;
    *memory = take(arena->chunks, bytes);
    if (*memory)
        return SS_OK;
    SS_TRY(add_chunk(arena, bytes));
    *memory = take(arena->chunks, bytes);
    return *memory ? SS_OK : ss_fail(arena->context, SS_MEMORY, "out of memory: %zu bytes", bytes);
}

ss_status ss_arena_copy_string(ss_arena *arena, const char *string, const char **copy)
{
    return ss_arena_copy_text(arena, string, strlen(string), copy);
}

ss_status ss_arena_copy_text(ss_arena *arena, const char *text, size_t length, const char **copy)
{
    char *memory;
    SS_TRY(SS_ARENA_NEW(arena, length + 1, &memory));
    memcpy(memory, text, length);
    *copy = memory;
    return SS_OK;
}
