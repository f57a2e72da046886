/* checkpoint.c: the whole state of a simulation in a record. Unused capacity for contacts of shapes is left out;
 * it is zero. */
#include "record/recorder.h"

#include <string.h>

/* The two parts of a state that are kept. */
typedef struct parts {
    size_t head;     /* bytes up to the end of the contacts, without those contacts */
    size_t capacity; /* bytes of the space for contacts */
    size_t used;     /* bytes of the contacts */
    const char *contacts, *tail;
    size_t tail_bytes;
} parts;

static parts parts_of(const ss_state *state)
{
    const char *begin = (const char *)state, *contacts = (const char *)ss_state_contacts(state);
    const char *tail = (const char *)ss_state_memory(state);
    return (parts){
        .head = (size_t)(contacts - begin),
        .capacity = (size_t)(tail - contacts),
        .used = (size_t)ss_state_contact_count(state) * sizeof(ss_contact),
        .contacts = contacts,
        .tail = tail,
        .tail_bytes = ss_state_bytes(state) - (size_t)(tail - begin),
    };
}

ss_status ss_checkpoint_write(const ss_store *store, const ss_state *state)
{
    parts p = parts_of(state);
    char *bytes;
    SS_TRY(SS_NEW(store->context, p.head + p.used + p.tail_bytes, &bytes));
    memcpy(bytes, state, p.head + p.used);
    memcpy(bytes + p.head + p.used, p.tail, p.tail_bytes);
    ss_status status = ss_store_write(store, "/checkpoint/state", SS_NUMBER_UINT8,
                                      p.head + p.used + p.tail_bytes, bytes);
    ss_release(store->context, bytes);
    return status;
}

/* `state` is one of the same model and simulation, to be filled. */
ss_status ss_checkpoint_read(const ss_store *store, const ss_model *model, ss_arena *arena,
                             ss_state *state)
{
    parts p = parts_of(state);
    size_t count = 0, fixed = p.head + p.tail_bytes;
    void *packed, *memory;
    SS_TRY(ss_store_read(store, "/checkpoint/state", SS_NUMBER_UINT8, arena, &count, &packed));
    if (count < fixed || count > fixed + p.capacity || (count - fixed) % sizeof(ss_contact) != 0)
        return ss_state_restore(model, 0, NULL, state);
    SS_TRY(ss_arena_allocate(arena, 1, ss_state_bytes(state), &memory));
    char *bytes = memory;
    memcpy(bytes, packed, count - p.tail_bytes);
    memcpy(bytes + p.head + p.capacity, (char *)packed + count - p.tail_bytes, p.tail_bytes);
    return ss_state_restore(model, ss_state_bytes(state), memory, state);
}
