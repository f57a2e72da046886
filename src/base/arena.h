/* arena.h: memory that is released all at once. */
#ifndef SS_BASE_ARENA_H
#define SS_BASE_ARENA_H

#include <stickslip/base.h>

typedef struct ss_arena_chunk ss_arena_chunk;

typedef struct ss_arena {
    ss_context *context;
    ss_arena_chunk *chunks; /* newest first */
    size_t wanted;          /* bytes of the next chunk at least */
} ss_arena;

void ss_arena_init(ss_arena *arena, ss_context *context);
void ss_arena_release(ss_arena *arena);
/* Takes back everything that was given and keeps the memory: what needs as much again and again
 * allocates no more after the second time. */
void ss_arena_reset(ss_arena *arena);

/* Zeroed memory for count elements of a size, aligned for any type, and to 64 bytes when
 * it has so many. */
ss_status ss_arena_allocate(ss_arena *arena, size_t count, size_t size, void **memory);
ss_status ss_arena_copy_string(ss_arena *arena, const char *string, const char **copy);
/* The first bytes of a text, as a string. */
ss_status ss_arena_copy_text(ss_arena *arena, const char *text, size_t length, const char **copy);

/* Typed shorthands: SS_ARENA_NEW(arena, count, &pointer), SS_NEW and SS_RESIZE(context, count, &pointer). */
#define SS_NEW(context, count, pointer) \
    ss_allocate((context), (size_t)(count), sizeof **(pointer), (void **)(pointer))
#define SS_RESIZE(context, count, pointer) \
    ss_reallocate((context), (size_t)(count), sizeof **(pointer), (void **)(pointer))
#define SS_ARENA_NEW(arena, count, pointer) \
    ss_arena_allocate((arena), (size_t)(count), sizeof **(pointer), (void **)(pointer))

#endif
