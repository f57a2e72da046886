/* state.c: everything that moves, in one block of memory. */
#include "model/model.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

struct ss_state {
    uint64_t bytes;
    int32_t n_q, n_u, n_rows, n_laws;
    int32_t n_contacts, contact_capacity;
    uint64_t n_own, n_memory;
    double t, dt;
    ss_statistics statistics;
    /* q, u, P, the scheme's own; n_laws ints: modes; contacts; the simulation's own */
    double values[];
};

static size_t mode_doubles(size_t n_laws)
{
    return (n_laws * sizeof(int) + sizeof(double) - 1) / sizeof(double);
}

static size_t contact_doubles(size_t n_contacts)
{
    return n_contacts * (sizeof(ss_contact) / sizeof(double));
}

size_t ss_state_capacity(const ss_model *model, size_t n_own, size_t n_memory)
{
    size_t doubles = (size_t)model->n_q + (size_t)model->n_u + (size_t)model->n_rows + n_own;
    size_t modes = mode_doubles((size_t)model->n_laws.count);
    size_t contacts = contact_doubles((size_t)model->contact_capacity);
    return sizeof(ss_state) + (doubles + modes + contacts + n_memory) * sizeof(double);
}

void ss_state_shape(const ss_model *model, ss_state *state)
{
    *state = (ss_state){
        .bytes = ss_state_capacity(model, 0, 0),
        .n_q = model->n_q,
        .n_u = model->n_u,
        .n_rows = model->n_rows,
        .n_laws = model->n_laws.count,
        .contact_capacity = model->contact_capacity,
    };
}

/* A state and where its memory comes from, which is no part of it. */
typedef struct owned_state {
    ss_context *context;
    alignas(16) char state[];
} owned_state;

ss_status ss_state_create(const ss_model *model, ss_state **state)
{
    return ss_state_create_for(model, 0, 0, state);
}

ss_status ss_state_create_for(const ss_model *model, size_t own, size_t count, ss_state **state)
{
    *state = NULL;
    if (!model->sealed)
        return ss_fail(model->context, SS_INPUT, "a state needs a sealed model");
    void *memory;
    size_t bytes = offsetof(owned_state, state) + ss_state_capacity(model, own, count);
    SS_TRY(ss_allocate(model->context, 1, bytes, &memory));
    owned_state *owned = memory;
    owned->context = model->context;
    ss_state *s = (ss_state *)(void *)owned->state;
    ss_state_shape(model, s);
    s->bytes = ss_state_capacity(model, own, count);
    s->n_own = own;
    s->n_memory = count;
    for (int i = 0; i < model->n_systems.count; i++) {
        const ss_system *system = &model->systems[i];
        memcpy(ss_state_edit_q(s) + system->q_offset, system->q0,
               (size_t)system->nq * sizeof(double));
        memcpy(ss_state_edit_u(s) + system->u_offset, system->u0,
               (size_t)system->nu * sizeof(double));
    }
    for (int i = 0; i < s->n_laws; i++)
        ss_state_edit_mode(s)[i] =
            ss_law_is_constraint(&model->laws[i]) ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
    *state = s;
    return SS_OK;
}

void ss_state_destroy(ss_state *state)
{
    if (!state)
        return;
    owned_state *owned = (owned_state *)(void *)((char *)state - offsetof(owned_state, state));
    ss_release(owned->context, owned);
}

void ss_state_copy(ss_state *to, const ss_state *from)
{
    uint64_t bytes = to->bytes, n_memory = to->n_memory;
    int32_t n_contacts = to->n_contacts;
    const ss_contact *contacts = ss_state_contacts(from);
    memcpy(to, from, (size_t)((const char *)contacts - (const char *)from));
    to->bytes = bytes;
    to->n_memory = n_memory;
    to->n_contacts = n_contacts;
    memcpy(ss_state_edit_contacts(to), contacts, (size_t)from->n_contacts * sizeof *contacts);
    ss_state_set_contact_count(to, from->n_contacts);
    if (n_memory == from->n_memory)
        memcpy(ss_state_edit_memory(to), ss_state_memory(from), (size_t)n_memory * sizeof(double));
}

size_t ss_state_bytes(const ss_state *state)
{
    return state->bytes;
}

ss_status ss_state_restore(const ss_model *model, size_t bytes, const void *memory, ss_state *state)
{
    const ss_state *saved = memory;
    bool fits = bytes == state->bytes && saved->bytes == bytes && saved->n_q == state->n_q &&
                saved->n_u == state->n_u && saved->n_rows == state->n_rows &&
                saved->n_laws == state->n_laws &&
                saved->contact_capacity == state->contact_capacity && saved->n_contacts >= 0 &&
                saved->n_contacts <= saved->contact_capacity && saved->n_own == state->n_own &&
                saved->n_memory == state->n_memory;
    if (!fits)
        return ss_fail(model->context, SS_INPUT,
                       "the saved state is not of this model and simulation");
    memcpy(state, memory, bytes);
    return SS_OK;
}

double ss_state_time(const ss_state *state)
{
    return state->t;
}

void ss_state_set_time(ss_state *state, double t)
{
    state->t = t;
}

double ss_state_dt(const ss_state *state)
{
    return state->dt;
}

void ss_state_set_dt(ss_state *state, double dt)
{
    state->dt = dt;
}

/* Where the parts begin, in doubles behind the head. */
static size_t u_place(const ss_state *state)
{
    return (size_t)state->n_q;
}

static size_t P_place(const ss_state *state)
{
    return u_place(state) + (size_t)state->n_u;
}

static size_t own_place(const ss_state *state)
{
    return P_place(state) + (size_t)state->n_rows;
}

static size_t mode_place(const ss_state *state)
{
    return own_place(state) + (size_t)state->n_own;
}

static size_t contact_place(const ss_state *state)
{
    return mode_place(state) + mode_doubles((size_t)state->n_laws);
}

const double *ss_state_q(const ss_state *state)
{
    return state->values;
}

double *ss_state_edit_q(ss_state *state)
{
    return state->values;
}

const double *ss_state_u(const ss_state *state)
{
    return state->values + u_place(state);
}

double *ss_state_edit_u(ss_state *state)
{
    return state->values + u_place(state);
}

const double *ss_state_P(const ss_state *state)
{
    return state->values + P_place(state);
}

double *ss_state_edit_P(ss_state *state)
{
    return state->values + P_place(state);
}

const double *ss_state_own(const ss_state *state)
{
    return state->values + own_place(state);
}

double *ss_state_edit_own(ss_state *state)
{
    return state->values + own_place(state);
}

const int *ss_state_mode(const ss_state *state)
{
    return (const int *)(const void *)(state->values + mode_place(state));
}

int *ss_state_edit_mode(ss_state *state)
{
    return (int *)(void *)(state->values + mode_place(state));
}

const ss_statistics *ss_state_statistics(const ss_state *state)
{
    return &state->statistics;
}

ss_statistics *ss_state_edit_statistics(ss_state *state)
{
    return &state->statistics;
}

const ss_contact *ss_state_contacts(const ss_state *state)
{
    return (const ss_contact *)(const void *)(state->values + contact_place(state));
}

ss_contact *ss_state_edit_contacts(ss_state *state)
{
    return (ss_contact *)(void *)(state->values + contact_place(state));
}

int ss_state_contact_count(const ss_state *state)
{
    return state->n_contacts;
}

/* Room that is not used stays zero: equal states have equal bytes. */
void ss_state_set_contact_count(ss_state *state, int count)
{
    if (count < state->n_contacts)
        memset(ss_state_edit_contacts(state) + count, 0,
               (size_t)(state->n_contacts - count) * sizeof(ss_contact));
    state->n_contacts = count;
}

const double *ss_state_memory(const ss_state *state)
{
    return (const double *)(const void *)(ss_state_contacts(state) + state->contact_capacity);
}

double *ss_state_edit_memory(ss_state *state)
{
    return (double *)(void *)(ss_state_edit_contacts(state) + state->contact_capacity);
}

size_t ss_state_memory_count(const ss_state *state)
{
    return (size_t)state->n_memory;
}
