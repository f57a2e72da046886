/* allocator.h: an allocator that counts, and fails from a chosen call on. */
#ifndef SS_TESTS_SUPPORT_ALLOCATOR_H
#define SS_TESTS_SUPPORT_ALLOCATOR_H

#include <stickslip/base.h>

#include <stdlib.h>

typedef struct counting_allocator {
    long calls;   /* to allocate and reallocate */
    long live;    /* blocks not released yet */
    long allowed; /* calls that succeed; negative: all */
    size_t bytes; /* asked for since the beginning, but by reallocate */
} counting_allocator;

static inline bool counting_refuses(counting_allocator *c)
{
    return c->calls++ >= c->allowed && c->allowed >= 0;
}

static inline void *counting_allocate(void *user, size_t size)
{
    counting_allocator *c = user;
    void *memory = counting_refuses(c) ? NULL : malloc(size);
    c->live += memory != NULL;
    c->bytes += size;
    return memory;
}

static inline void *counting_reallocate(void *user, void *memory, size_t size)
{
    return counting_refuses(user) ? NULL : realloc(memory, size);
}

static inline void counting_release(void *user, void *memory)
{
    counting_allocator *c = user;
    c->live -= memory != NULL;
    free(memory);
}

static inline ss_context_options counting_options(counting_allocator *c)
{
    ss_context_options options = ss_default_context();
    options.allocator = (ss_allocator){c, counting_allocate, counting_reallocate, counting_release};
    return options;
}

#endif
