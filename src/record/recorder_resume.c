/* recorder_resume.c: the whole state of a simulation in a record, and going on where a record ends. */
#include "record/recorder.h"

#include "record/record.h"

#include <string.h>

/* ---- Checkpoints: unused capacity for contacts of shapes, which is zero, is left out ---- */

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

ss_status ss_state_pack(ss_context *context, const ss_state *state, void **bytes, size_t *count)
{
    parts p = parts_of(state);
    *count = p.head + p.used + p.tail_bytes;
    SS_TRY(ss_allocate(context, *count, 1, bytes));
    memcpy(*bytes, state, p.head + p.used);
    memcpy((char *)*bytes + p.head + p.used, p.tail, p.tail_bytes);
    return SS_OK;
}

ss_status ss_checkpoint_write(const ss_store *store, const ss_checkpoint *c)
{
    SS_TRY(ss_store_write(store, "/checkpoint/state", SS_NUMBER_UINT8, c->bytes, c->state));
    SS_TRY(ss_store_set_count(store, "/checkpoint", "states", c->states));
    SS_TRY(ss_store_set_count(store, "/checkpoint", "events", c->events));
    SS_TRY(ss_store_set_count(store, "/checkpoint", "steps", c->steps));
    SS_TRY(ss_store_set_count(store, "/checkpoint", "finished", c->finished));
    if (c->note)
        SS_TRY(ss_store_set_text(store, "/", "note", c->note));
    for (int i = 0; i < SS_STATISTICS_COUNT; i++) {
        const ss_field *field = &ss_statistics_fields[i];
        SS_TRY(ss_store_set(store, "/statistics", field->path, field->number,
                            (const char *)&c->statistics + field->offset));
    }
    SS_TRY(ss_store_set_text(store, "/statistics", "violation_law", c->statistics.violation.law));
    return ss_store_set_text(store, "/statistics", "forces",
                             ss_forces_name((ss_forces)c->statistics.forces));
}

/* `state` is one of the same model and simulation, to be filled. */
static ss_status read_checkpoint(const ss_store *store, const ss_model *model, ss_arena *arena,
                                 ss_state *state)
{
    parts p = parts_of(state);
    size_t count = 0, fixed = p.head + p.tail_bytes;
    void *packed;
    char *bytes;
    SS_TRY(ss_store_read(store, "/checkpoint/state", SS_NUMBER_UINT8, arena, &count, &packed));
    if (count < fixed || count > fixed + p.capacity || (count - fixed) % sizeof(ss_contact) != 0)
        return ss_state_restore(model, 0, NULL, state);
    SS_TRY(SS_ARENA_NEW(arena, ss_state_bytes(state), &bytes));
    memcpy(bytes, packed, count - p.tail_bytes);
    memcpy(bytes + p.head + p.capacity, (char *)packed + count - p.tail_bytes, p.tail_bytes);
    return ss_state_restore(model, ss_state_bytes(state), bytes, state);
}

/* ---- Resuming ---- */

static ss_status refuse(const ss_recorder *recorder, const char *what)
{
    return ss_fail(
        recorder->context, SS_INPUT,
        "record '%s' is of another model: its %s differ; resume it with the scene it was "
        "made from",
        recorder->store.path, what);
}

static bool same_texts(int count, const char *const *a, int other, const char *const *b)
{
    if (count != other)
        return false;
    for (int i = 0; i < count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

static ss_status check_model(ss_recorder *recorder)
{
    const ss_layout *ours = &recorder->layout;
    ss_layout theirs;
    SS_TRY(ss_layout_of_file(&recorder->arena, &recorder->store, &theirs));
    if (!same_texts(ours->n_q, ours->q, theirs.n_q, theirs.q) ||
        !same_texts(ours->n_u, ours->u, theirs.n_u, theirs.u))
        return refuse(recorder, "coordinates");
    if (ours->n_laws != theirs.n_laws ||
        !same_texts(ours->n_rows, ours->rows, theirs.n_rows, theirs.rows))
        return refuse(recorder, "laws");
    if (!same_texts(ours->n_inputs, ours->inputs, theirs.n_inputs, theirs.inputs) ||
        !same_texts(ours->n_outputs, ours->outputs, theirs.n_outputs, theirs.outputs))
        return refuse(recorder, "inputs or outputs");
    return SS_OK;
}

/* What the checkpoint says about the record. */
typedef struct counters {
    uint64_t states, events, steps, every;
} counters;

static ss_status read_counters(const ss_store *store, counters *c)
{
    SS_TRY(ss_store_get_count(store, "/checkpoint", "states", &c->states));
    SS_TRY(ss_store_get_count(store, "/checkpoint", "events", &c->events));
    SS_TRY(ss_store_get_count(store, "/checkpoint", "steps", &c->steps));
    SS_TRY(ss_store_get_count(store, "/", "every", &c->every));
    if (c->states == 0 || c->every == 0 || c->every > 1000000000)
        return ss_store_damaged(store, "/checkpoint", "has impossible counts");
    return SS_OK;
}

/* A whole chunk is in memory at a time: the buffers must be as long as the file's chunks. */
static ss_status read_chunk(ss_recorder *recorder)
{
    hid_t creation = H5Dget_create_plist(recorder->series[SS_SERIES_TIME].table.set);
    hsize_t chunk = 0;
    int rank = creation < 0 ? -1 : H5Pget_chunk(creation, 1, &chunk);
    if (creation >= 0)
        H5Pclose(creation);
    if (rank != 1 || chunk == 0 || chunk > (1 << 20))
        return ss_store_damaged(&recorder->store, "/time", "has no chunks of a sensible size");
    recorder->chunk = chunk;
    return SS_OK;
}

ss_status ss_recorder_open_tables(ss_recorder *recorder)
{
    const ss_store *store = &recorder->store;
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        if (ss_series_is_there(&recorder->layout, id))
            SS_TRY(ss_dataset_open(store, &ss_series[id], ss_series[id].number,
                                   (int)recorder->series[id].width, &recorder->series[id].table));
    recorder->has_contacts = ss_store_has(store, "/contacts");
    if (recorder->has_contacts) {
        SS_TRY(ss_list_open(store, &ss_range_fields, &recorder->ranges.list));
        SS_TRY(ss_list_open(store, &ss_contact_fields, &recorder->contacts.list));
    }
    SS_TRY(ss_list_open(store, &ss_event_fields, &recorder->events.list));
    return read_chunk(recorder);
}

/* The contacts of the states that stay, and how they are recorded. */
static ss_status resume_contacts(ss_recorder *recorder, size_t states)
{
    const ss_store *store = &recorder->store;
    const char *which = "", *closed = ss_record_contacts_names[SS_RECORD_CLOSED_CONTACTS];
    uint64_t every = 0;
    SS_TRY(ss_store_get_text(store, "/contacts", "which", &recorder->arena, &which));
    SS_TRY(ss_store_get_count(store, "/contacts", "every", &every));
    if (every == 0 || every > 1000000000)
        return ss_store_damaged(store, "/contacts", "has an impossible `every`");
    recorder->contacts_every = (int)every;
    recorder->which =
        strcmp(which, closed) == 0 ? SS_RECORD_CLOSED_CONTACTS : SS_RECORD_ALL_CONTACTS;
    ss_contact_range last = {0};
    SS_TRY(ss_list_shorten(&recorder->ranges.list, states));
    SS_TRY(ss_list_read(&recorder->ranges.list, states - 1, 1, &last));
    if (last.first < 0)
        return ss_store_damaged(store, "/contacts/first", "is negative");
    recorder->ranges.written = states;
    recorder->contacts.written = (size_t)last.first + (size_t)(last.count > 0 ? last.count : 0);
    return ss_list_shorten(&recorder->contacts.list, recorder->contacts.written);
}

/* One entry of a series. */
static ss_status read_entry(const ss_recorder *recorder, ss_series_id id, size_t row, void *value)
{
    return ss_dataset_read(&recorder->series[id].table, row, 1, value);
}

/* The last step is needed again when the run ends before the next recorded state. */
static ss_status read_last_step(ss_recorder *recorder, size_t row)
{
    int32_t iterations = 0;
    int8_t outcome = 0, order = 0;
    SS_TRY(read_entry(recorder, SS_SERIES_ITERATIONS, row, &iterations));
    SS_TRY(read_entry(recorder, SS_SERIES_OUTCOME, row, &outcome));
    SS_TRY(read_entry(recorder, SS_SERIES_ORDER, row, &order));
    SS_TRY(read_entry(recorder, SS_SERIES_RESIDUAL, row, &recorder->last_report.residual.value));
    recorder->last_report.iterations = iterations;
    recorder->last_report.outcome = (ss_outcome)outcome;
    recorder->last_order = (int)order;
    return SS_OK;
}

/* The checkpoint is that of the last regular state, or of the one behind it that was recorded
 * because the run ended there. A run that was killed while it wrote may have left another one. */
static ss_status find_checkpoint(ss_recorder *recorder, double t, size_t states)
{
    const ss_dataset *times = &recorder->series[SS_SERIES_TIME].table;
    size_t length = 0;
    double last = 0, behind = 0;
    SS_TRY(ss_dataset_length(times, &length));
    if (length < states)
        return ss_store_damaged(times->store, times->path, "is shorter than the checkpoint says");
    SS_TRY(ss_dataset_read(times, states - 1, 1, &last));
    if (t == last)
        return SS_OK;
    if (length == states + 1)
        SS_TRY(ss_dataset_read(times, states, 1, &behind));
    if (length != states + 1 || t != behind)
        return ss_fail(recorder->context, SS_INPUT,
                       "record '%s' cannot be resumed: its run was killed while it wrote, and its "
                       "checkpoint (t = %.9g s) is not that of its last state (t = %.9g s)",
                       recorder->store.path, t, last);
    recorder->pending = true;
    return read_last_step(recorder, states);
}

static ss_status take_over(ss_recorder *recorder, const ss_state *saved)
{
    counters c;
    SS_TRY(read_counters(&recorder->store, &c));
    SS_TRY(ss_recorder_open_tables(recorder));
    SS_TRY(ss_recorder_allocate_buffers(recorder));
    SS_TRY(find_checkpoint(recorder, ss_state_time(saved), c.states));
    /* What is beyond the checkpoint goes: the last state of a run that ended between two recorded ones. */
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        if (ss_series_is_there(&recorder->layout, id))
            SS_TRY(ss_dataset_shorten(&recorder->series[id].table, c.states));
    SS_TRY(ss_list_shorten(&recorder->events.list, c.events));
    if (recorder->has_contacts)
        SS_TRY(resume_contacts(recorder, c.states));
    SS_TRY(ss_recorder_read_energies(recorder, c.states));
    double e[4]; /* at the start, in the order of sums in which it was formed */
    for (int i = 0; i < 4; i++)
        SS_TRY(read_entry(recorder, (ss_series_id)(SS_SERIES_KINETIC + i), 0, &e[i]));
    recorder->start_energy = e[0] + e[1] + e[2] - e[3];
    recorder->every = (int)c.every;
    recorder->written = c.states;
    recorder->events.written = c.events;
    recorder->observed = c.steps;
    return SS_OK;
}

/* The simulation's own state changes only when all is well. */
static ss_status restore(ss_recorder *recorder)
{
    ss_state *state = ss_simulation_state(recorder->simulation);
    ss_state *saved;
    SS_TRY(ss_allocate(recorder->context, 1, ss_state_bytes(state), (void **)&saved));
    memcpy(saved, state, ss_state_bytes(state)); /* of the same size, to be restored into */
    ss_status status = read_checkpoint(&recorder->store, ss_simulation_model(recorder->simulation),
                                       &recorder->arena, saved);
    if (status == SS_OK)
        status = take_over(recorder, saved);
    if (status == SS_OK)
        ss_state_copy(state, saved);
    ss_release(recorder->context, saved);
    return status;
}

static ss_status resume(ss_simulation *simulation, const char *from, const char *to,
                        const ss_recorder_options *options, ss_recorder **recorder)
{
    SS_TRY(ss_recorder_allocate(simulation, to ? to : from, recorder));
    ss_recorder *r = *recorder;
    SS_TRY(ss_recover_into(&r->file, &r->arena, from, ""));
    r->store.path = from; /* until it is taken over, faults are those of the old record */
    SS_TRY(ss_store_open_pages(&r->store, &r->file.pages, r->file.part));
    if (options && options->flush > 0)
        r->period = options->flush;
    SS_TRY(check_model(r));
    SS_TRY(restore(r));
    r->store.path = r->file.path;
    SS_TRY(ss_store_set_text(&r->store, "/", "note", ""));
    if (options)
        SS_TRY(ss_recorder_write_scene(&r->store, options));
    SS_TRY(ss_store_flush(&r->store));
    return ss_recorder_commit(r);
}

ss_status ss_recorder_resume(ss_simulation *simulation, const char *from, const char *to,
                             const ss_recorder_options *options, ss_recorder **recorder)
{
    *recorder = NULL;
    /* A clear message when `from` is no record, before anything is copied. */
    ss_record *record;
    SS_TRY(ss_record_open(ss_model_context(ss_simulation_model(simulation)), from, &record));
    ss_record_close(record);
    ss_silence silence = ss_silence_begin();
    ss_status status =
        ss_recorder_settle(resume(simulation, from, to, options, recorder), recorder);
    ss_silence_end(silence);
    return status;
}
