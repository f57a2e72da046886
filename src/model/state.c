/* state.c: everything that moves, in one block of memory. */
#include "base/context.h"
#include "model/model.h"

#include <math.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

struct ss_state {
    uint64_t bytes;
    int32_t n_q, n_u, n_rows, n_laws;
    int32_t n_contacts, contact_capacity;
    int32_t n_control;
    int32_t jumped; /* 1: inputs were changed since the last step */
    ss_state_space space;
    double t, dt;
    ss_statistics statistics;
    ss_freedom_look look;
    /* q; u; inputs, controllers and accelerations; P of the model, of contacts that are followed; the scheme's own; modes as
     * P, ints; contacts; the simulation's own; features */
    double values[];
};

static size_t mode_doubles(size_t n_laws)
{
    return (n_laws * sizeof(int) + sizeof(double) - 1) / sizeof(double);
}

/* Where the parts begin, in doubles behind the head. */
static size_t P_place(const ss_state *state)
{
    return (size_t)state->n_q + (size_t)state->n_u + (size_t)state->n_control;
}

static size_t own_place(const ss_state *state)
{
    return P_place(state) + (size_t)state->n_rows + (size_t)state->space.rows;
}

static size_t mode_place(const ss_state *state)
{
    return own_place(state) + state->space.own;
}

static size_t contact_place(const ss_state *state)
{
    return mode_place(state) + mode_doubles((size_t)state->n_laws + (size_t)state->space.laws);
}

size_t ss_state_capacity(const ss_model *model, const ss_state_space *space)
{
    size_t P = (size_t)model->n_rows + (size_t)space->rows;
    size_t modes = mode_doubles((size_t)model->n_laws.count + (size_t)space->laws);
    size_t contacts = (size_t)model->contact_capacity * (sizeof(ss_contact) / sizeof(double));
    return sizeof(ss_state) +
           ((size_t)model->n_q + (size_t)model->n_u + model->control_size + P + space->own + modes +
            contacts + space->memory + (size_t)space->points) *
               sizeof(double);
}

void ss_state_shape(const ss_model *model, const ss_state_space *space, ss_state *state)
{
    *state = (ss_state){
        .bytes = ss_state_capacity(model, space),
        .n_q = model->n_q,
        .n_u = model->n_u,
        .n_rows = model->n_rows,
        .n_laws = model->n_laws.count,
        .contact_capacity = model->contact_capacity,
        .n_control = (int32_t)model->control_size,
        .space = *space,
    };
    ss_state_clear_followed(state);
}

void ss_state_clear_followed(ss_state *state)
{
    memset(ss_state_edit_P(state) + state->n_rows, 0, (size_t)state->space.rows * sizeof(double));
    for (int l = 0; l < state->space.laws; l++)
        ss_state_edit_mode(state)[state->n_laws + l] = SS_MODE_IMPRESSED;
}

/* A state and where its memory comes from, which is no part of it. */
typedef struct owned_state {
    ss_context *context;
    alignas(16) char state[];
} owned_state;

ss_status ss_state_create(const ss_model *model, ss_state **state)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, state);
    return ss_state_create_with(model, &(ss_state_space){0}, state);
}

ss_status ss_state_create_for(const ss_model *model, size_t own, size_t count, ss_state **state)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, state);
    return ss_state_create_with(model, &(ss_state_space){.own = own, .memory = count}, state);
}

ss_status ss_state_create_with(const ss_model *model, const ss_state_space *space, ss_state **state)
{
    *state = NULL;
    if (!model->sealed)
        return ss_fail(model->context, SS_INPUT, "a state needs a sealed model");
    void *memory;
    size_t bytes = offsetof(owned_state, state) + ss_state_capacity(model, space);
    SS_TRY(ss_allocate(model->context, 1, bytes, &memory));
    owned_state *owned = memory;
    owned->context = model->context;
    ss_state *s = (ss_state *)(void *)owned->state;
    ss_state_shape(model, space, s);
    for (int i = 0; i < model->n_systems.count; i++) {
        const ss_system *system = &model->systems[i];
        memcpy(ss_state_edit_q(s) + system->q_offset, system->q0,
               (size_t)system->nq * sizeof(double));
        memcpy(ss_state_edit_u(s) + system->u_offset, system->u0,
               (size_t)system->nu * sizeof(double));
    }
    ss_control_start(model, ss_state_edit_control(s));
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

static void copy(size_t to_count, double *to, size_t from_count, const double *from)
{
    size_t count = to_count < from_count ? to_count : from_count;
    memcpy(to, from, count * sizeof *to);
}

/* What one of them has no space for is left out. */
void ss_state_copy(ss_state *to, const ss_state *from)
{
    const ss_state_space *a = &to->space, *b = &from->space;
    int laws = from->n_laws + (a->laws < b->laws ? a->laws : b->laws);
    to->t = from->t;
    to->dt = from->dt;
    to->statistics = from->statistics;
    to->look = from->look;
    to->jumped = from->jumped;
    memcpy(to->values, from->values, P_place(from) * sizeof(double));
    copy((size_t)(to->n_rows + a->rows), ss_state_edit_P(to), (size_t)(from->n_rows + b->rows),
         ss_state_P(from));
    copy(a->own, ss_state_edit_own(to), b->own, ss_state_own(from));
    memcpy(ss_state_edit_mode(to), ss_state_mode(from), (size_t)laws * sizeof(int));
    ss_state_set_contact_count(to, from->n_contacts);
    memcpy(ss_state_edit_contacts(to), ss_state_contacts(from),
           (size_t)from->n_contacts * sizeof(ss_contact));
    if (a->memory == b->memory)
        copy(a->memory, ss_state_edit_memory(to), b->memory, ss_state_memory(from));
    copy((size_t)a->points, ss_state_features(to), (size_t)b->points,
         ss_state_features((ss_state *)from));
}

size_t ss_state_bytes(const ss_state *state)
{
    return state->bytes;
}

/* A saved state may come from anybody: what is used as a number of something is in range. */
static bool is_sound(const ss_model *model, const ss_state *state)
{
    const ss_contact *contacts = ss_state_contacts(state);
    const int *modes = ss_state_mode(state);
    const double *features = ss_state_features((ss_state *)state);
    int n_shapes = model->n_shapes.count, n_elements = model->n_elements.count;
    for (int i = 0; i < state->n_contacts; i++) {
        const ss_contact *c = &contacts[i];
        if (c->a < 0 || c->a >= n_shapes || c->b < 0 || c->b >= n_shapes || c->element < 0 ||
            c->element >= n_elements)
            return false;
    }
    for (int l = 0; l < state->n_laws + state->space.laws; l++)
        if (modes[l] < -2 || modes[l] > 2) /* constraint, impressed, or not known */
            return false;
    for (int64_t i = 0; i < (int64_t)state->space.points; i++)
        if (!(features[i] >= 0 && features[i] <= 1.0 + UINT32_MAX))
            return false;
    return ss_control_is_sound(model, ss_state_control(state)) && state->jumped >= 0 &&
           state->jumped <= 1 && state->look.indeterminate <= 1 && state->look.unexamined <= 1 &&
           isfinite(state->t) && isfinite(state->dt);
}

ss_status ss_state_restore(const ss_model *model, size_t bytes, const void *memory, ss_state *state)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, state);
    const ss_state *saved = memory;
    bool fits = bytes == state->bytes && saved->bytes == bytes && saved->n_q == state->n_q &&
                saved->n_u == state->n_u && saved->n_rows == state->n_rows &&
                saved->n_laws == state->n_laws && saved->n_control == state->n_control &&
                saved->contact_capacity == state->contact_capacity && saved->n_contacts >= 0 &&
                saved->n_contacts <= saved->contact_capacity &&
                memcmp(&saved->space, &state->space, sizeof saved->space) == 0;
    if (!fits)
        return ss_fail(model->context, SS_INPUT,
                       "the saved state is not of this model and simulation");
    if (!is_sound(model, saved))
        return ss_fail(model->context, SS_INPUT,
                       "the saved state is damaged: it names what the model does not have");
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
    return state->values + state->n_q;
}

double *ss_state_edit_u(ss_state *state)
{
    return state->values + state->n_q;
}

const double *ss_state_control(const ss_state *state)
{
    return state->values + state->n_q + state->n_u;
}

double *ss_state_edit_control(ss_state *state)
{
    return state->values + state->n_q + state->n_u;
}

bool ss_state_inputs_jumped(const ss_state *state)
{
    return state->jumped != 0;
}

void ss_state_set_inputs_jumped(ss_state *state, bool jumped)
{
    state->jumped = jumped;
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

const ss_freedom_look *ss_state_look(const ss_state *state)
{
    return &state->look;
}

ss_freedom_look *ss_state_edit_look(ss_state *state)
{
    return &state->look;
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
    return state->space.memory;
}

double *ss_state_features(ss_state *state)
{
    return ss_state_edit_memory(state) + state->space.memory;
}
