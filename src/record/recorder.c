/* recorder.c: writes the states, switches and checkpoints of a run into a record. */
#include "record/recorder.h"

#include <math.h>
#include <string.h>

const char *const ss_record_contacts_names[] = {"all", "closed", "none"};

ss_recorder_options ss_default_recorder(void)
{
    return (ss_recorder_options){.every = 1,
                                 .contacts_every = 1,
                                 .scene_name = "",
                                 .scene_text = "",
                                 .scene_folder = "",
                                 .display = ""};
}

/* ---- Creation ---- */

ss_status ss_recorder_allocate(ss_simulation *simulation, const char *path, ss_recorder **recorder)
{
    const ss_model *model = ss_simulation_model(simulation);
    ss_context *context = ss_model_context(model);
    SS_TRY(SS_NEW(context, 1, recorder));
    ss_recorder *r = *recorder;
    r->context = context;
    r->simulation = simulation;
    r->file.descriptor = -1;
    ss_arena_init(&r->arena, context);
    r->store = (ss_store){context, NULL, H5I_INVALID_HID};
    SS_TRY(ss_layout_of_model(&r->arena, model, &r->layout));
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++) {
        ss_series_buffer *series = &r->series[id];
        series->width = (size_t)ss_series_width(&r->layout, id);
        series->bytes = series->width * ss_number_types(ss_series[id].number).bytes;
        r->state_bytes += series->bytes;
    }
    SS_TRY(ss_part_file_create(&r->file, &r->arena, path));
    r->store.path = r->file.path;
    return SS_OK;
}

static ss_status allocate_items(ss_arena *arena, size_t count, size_t bytes, ss_item_buffer *buffer)
{
    SS_TRY(ss_arena_allocate(arena, count, bytes, &buffer->items));
    return ss_arena_allocate(arena, SS_MAX_WIDTH * count, sizeof(double), &buffer->column);
}

ss_status ss_recorder_allocate_buffers(ss_recorder *recorder)
{
    ss_arena *arena = &recorder->arena;
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++) {
        ss_series_buffer *series = &recorder->series[id];
        SS_TRY(ss_arena_allocate(arena, recorder->chunk, series->bytes, &series->entries));
    }
    SS_TRY(allocate_items(arena, SS_EVENT_CHUNK, sizeof(ss_event_entry), &recorder->events));
    if (!recorder->has_contacts)
        return SS_OK;
    SS_TRY(allocate_items(arena, SS_CONTACT_CHUNK, sizeof(ss_contact), &recorder->contacts));
    return allocate_items(arena, recorder->chunk, sizeof(ss_contact_range), &recorder->ranges);
}

/* Contacts are recorded where shapes can meet. */
static ss_status create(ss_simulation *simulation, const char *path,
                        const ss_recorder_options *options, ss_recorder **recorder)
{
    enum { TARGET = 1 << 19, FEWEST = 16, MOST = 2048 };
    SS_TRY(ss_recorder_allocate(simulation, path, recorder));
    ss_recorder *r = *recorder;
    r->every = options->every;
    /* few enough states to be written often, enough to be worth it */
    for (r->chunk = MOST; r->chunk > FEWEST && r->chunk * r->state_bytes > TARGET;)
        r->chunk /= 2;
    r->which = options->contacts;
    r->contacts_every = options->contacts_every > 0 ? options->contacts_every : 1;
    r->has_contacts = ss_model_sizes(ss_simulation_model(simulation)).contact_capacity > 0 &&
                      options->contacts != SS_RECORD_NO_CONTACTS;
    SS_TRY(ss_recorder_allocate_buffers(r));
    return ss_recorder_write_head(r, options);
}

ss_status ss_recorder_settle(ss_status status, ss_recorder **recorder)
{
    if (status == SS_OK)
        return SS_OK;
    ss_recorder_discard(*recorder);
    *recorder = NULL;
    return status;
}

ss_status ss_recorder_create(ss_simulation *simulation, const char *path,
                             const ss_recorder_options *options, ss_recorder **recorder)
{
    *recorder = NULL;
    ss_context *context = ss_model_context(ss_simulation_model(simulation));
    ss_recorder_options o = options ? *options : ss_default_recorder();
    if (o.every < 1 || o.every > 1000000000)
        return ss_fail(context, SS_INPUT, "record: every is %d; it must be 1 … 1e9", o.every);
    if (o.contacts_every < 0 || o.contacts_every > 1000000000)
        return ss_fail(context, SS_INPUT, "record: contacts_every is %d; it must be 0 … 1e9",
                       o.contacts_every);
    ss_silence silence = ss_silence_begin();
    ss_status status = ss_recorder_settle(create(simulation, path, &o, recorder), recorder);
    ss_silence_end(silence);
    return status;
}

/* ---- Writing what is buffered ---- */

static ss_status write_items(ss_item_buffer *b)
{
    if (b->buffered > 0)
        SS_TRY(ss_list_write(&b->list, b->written, b->buffered, b->items, b->column));
    b->written += b->buffered;
    b->buffered = 0;
    return SS_OK;
}

/* Makes sure that the disk has space for everything a flush can write: whole chunks, the indices HDF5 keeps of them,
 * the checkpoint. */
static ss_status reserve(ss_recorder *recorder)
{
    uint64_t size = 0;
    SS_TRY(ss_store_size(&recorder->store, &size));
    uint64_t chunks = 2 * recorder->chunk * recorder->state_bytes;
    uint64_t state = 2 * ss_state_bytes(ss_simulation_state(recorder->simulation));
    uint64_t contacts = 2 * SS_CONTACT_CHUNK * sizeof(ss_contact) + 2 * recorder->chunk * 12;
    return ss_part_file_reserve(&recorder->file, size,
                                chunks + state + (1 << 20) +
                                    (recorder->has_contacts ? contacts : 0));
}

/* Writes items whose buffer is full. One failure to write is the last. */
static ss_status spill(ss_recorder *recorder, ss_item_buffer *buffer)
{
    ss_silence silence = ss_silence_begin();
    ss_status status = reserve(recorder);
    if (status == SS_OK)
        status = write_items(buffer);
    ss_silence_end(silence);
    recorder->broken = recorder->broken || status != SS_OK;
    return status;
}

/* `regular` states of the record count when the run is resumed: not a last one that is there only because the run
 * ended. */
static ss_status write_checkpoint(ss_recorder *recorder, size_t regular, bool finished)
{
    const ss_store *store = &recorder->store;
    const ss_state *state = ss_simulation_state(recorder->simulation);
    SS_TRY(ss_checkpoint_write(store, state));
    SS_TRY(ss_store_set_count(store, "/checkpoint", "states", regular));
    SS_TRY(ss_store_set_count(store, "/checkpoint", "events", recorder->events.written));
    SS_TRY(ss_store_set_count(store, "/checkpoint", "steps", recorder->observed));
    SS_TRY(ss_store_set_count(store, "/checkpoint", "finished", finished));
    if (recorder->note)
        SS_TRY(ss_store_set_text(store, "/", "note", recorder->note));
    const ss_statistics *s = ss_state_statistics(state);
    for (int i = 0; i < SS_STATISTICS_COUNT; i++) {
        const ss_field *field = &ss_statistics_fields[i];
        SS_TRY(ss_store_set(store, "/statistics", field->path, field->number,
                            (const char *)s + field->offset));
    }
    SS_TRY(ss_store_set_text(store, "/statistics", "violation_law", s->violation.law));
    return ss_store_set_text(store, "/statistics", "forces", ss_forces_name((ss_forces)s->forces));
}

/* Contacts before their ranges: what is counted is there. */
static ss_status write_all(ss_recorder *recorder, size_t regular, bool finished)
{
    SS_TRY(reserve(recorder));
    SS_TRY(write_items(&recorder->contacts));
    SS_TRY(write_items(&recorder->ranges));
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        SS_TRY(ss_dataset_write(&recorder->series[id].table, recorder->written, recorder->buffered,
                                recorder->series[id].entries));
    SS_TRY(write_items(&recorder->events));
    SS_TRY(write_checkpoint(recorder, regular, finished));
    SS_TRY(ss_store_flush(&recorder->store));
    uint64_t size = 0;
    if (ss_store_size(&recorder->store, &size) == SS_OK)
        ss_part_file_trim(&recorder->file, size);
    recorder->written += recorder->buffered;
    recorder->buffered = 0;
    recorder->flushed_time = ss_state_time(ss_simulation_state(recorder->simulation));
    return SS_OK;
}

static ss_status flush(ss_recorder *recorder, size_t regular, bool finished)
{
    ss_silence silence = ss_silence_begin();
    ss_status status = write_all(recorder, regular, finished);
    ss_silence_end(silence);
    recorder->broken = recorder->broken || status != SS_OK;
    return status;
}

/* ---- Adding a state ---- */

/* The entry of a series for the state that is being added. */
static void *entry(const ss_recorder *recorder, ss_series_id id)
{
    const ss_series_buffer *series = &recorder->series[id];
    return (char *)series->entries + recorder->buffered * series->bytes;
}

static void put(const ss_recorder *recorder, ss_series_id id, double value)
{
    *(double *)entry(recorder, id) = value;
}

static void put_all(const ss_recorder *recorder, ss_series_id id, const double *values)
{
    if (recorder->series[id].bytes > 0)
        memcpy(entry(recorder, id), values, recorder->series[id].bytes);
}

/* Gaps, relative velocities, impulses and modes; rows without a gap say so. */
static ss_status put_laws(const ss_recorder *recorder, const ss_state *state)
{
    const ss_layout *layout = &recorder->layout;
    double *gap = entry(recorder, SS_SERIES_GAP), *gamma = entry(recorder, SS_SERIES_GAMMA);
    SS_TRY(ss_work_measure(ss_simulation_work(recorder->simulation), state, gap, gamma));
    const int *modes = ss_state_mode(state);
    int8_t *mode = entry(recorder, SS_SERIES_MODE);
    for (int i = 0; i < layout->n_laws; i++) {
        const ss_law_info *law = &layout->laws[i];
        for (int k = 0; k < law->dim && law->kind == SS_KINEMATIC; k++)
            gap[law->offset + k] = (double)NAN;
        mode[i] = (int8_t)modes[i];
    }
    double dt = ss_state_dt(state), *force = entry(recorder, SS_SERIES_FORCE);
    const double *P = ss_state_P(state);
    for (int row = 0; row < layout->n_rows; row++)
        force[row] = dt > 0 ? P[row] / dt : 0;
    put_all(recorder, SS_SERIES_IMPULSE, P);
    return SS_OK;
}

static ss_status put_energies(ss_recorder *recorder, const ss_state *state)
{
    ss_energy e;
    SS_TRY(ss_work_energy(ss_simulation_work(recorder->simulation), state, &e));
    double total = e.kinetic + e.potential;
    if (recorder->written + recorder->buffered == 0)
        recorder->start_energy = total + e.dissipated - e.load_work;
    put(recorder, SS_SERIES_KINETIC, e.kinetic);
    put(recorder, SS_SERIES_POTENTIAL, e.potential);
    put(recorder, SS_SERIES_DISSIPATED, e.dissipated);
    put(recorder, SS_SERIES_LOAD, e.load_work);
    put(recorder, SS_SERIES_BALANCE, total + e.dissipated - e.load_work - recorder->start_energy);
    return SS_OK;
}

static ss_status add_contacts(ss_recorder *recorder, const ss_state *state)
{
    ss_item_buffer *b = &recorder->contacts;
    size_t index = recorder->written + recorder->buffered;
    bool wanted = index % (size_t)recorder->contacts_every == 0;
    const ss_contact *contacts = ss_state_contacts(state);
    int n = ss_state_contact_count(state), count = 0;
    ss_contact_range *range = (ss_contact_range *)recorder->ranges.items + recorder->buffered;
    range->first = (int64_t)(b->written + b->buffered);
    for (int i = 0; wanted && i < n; i++) {
        if (recorder->which == SS_RECORD_CLOSED_CONTACTS && !contacts[i].closed)
            continue;
        if (b->buffered == SS_CONTACT_CHUNK)
            SS_TRY(spill(recorder, b));
        ((ss_contact *)b->items)[b->buffered++] = contacts[i];
        count++;
    }
    range->count = wanted ? count : -1;
    recorder->ranges.buffered = recorder->buffered + 1;
    return SS_OK;
}

/* The buffers have space for it. */
static ss_status add_state(ss_recorder *recorder, const ss_state *state)
{
    SS_TRY(put_energies(recorder, state));
    put(recorder, SS_SERIES_TIME, ss_state_time(state));
    put(recorder, SS_SERIES_DT, ss_state_dt(state));
    put_all(recorder, SS_SERIES_Q, ss_state_q(state));
    put_all(recorder, SS_SERIES_U, ss_state_u(state));
    SS_TRY(put_laws(recorder, state));
    *(int32_t *)entry(recorder, SS_SERIES_ITERATIONS) = recorder->last_report.iterations;
    put(recorder, SS_SERIES_RESIDUAL, recorder->last_report.residual.value);
    *(int8_t *)entry(recorder, SS_SERIES_OUTCOME) = (int8_t)recorder->last_report.outcome;
    *(int8_t *)entry(recorder, SS_SERIES_ORDER) = (int8_t)recorder->last_order;
    if (recorder->has_contacts)
        SS_TRY(add_contacts(recorder, state));
    recorder->buffered++;
    return SS_OK;
}

/* ---- Observing ---- */

/* The buffers end with the chunk of the file that they are written to. */
static ss_status record_state(ss_recorder *recorder, const ss_state *state)
{
    SS_TRY(add_state(recorder, state));
    recorder->pending = false;
    size_t states = recorder->written + recorder->buffered;
    return states % recorder->chunk == 0 ? flush(recorder, states, false) : SS_OK;
}

static ss_status add_events(ss_recorder *recorder, const ss_step *step)
{
    ss_item_buffer *b = &recorder->events;
    for (int i = 0; i < step->n_switches; i++) {
        const ss_switch *s = &step->switches[i];
        const ss_law_info *law = &recorder->layout.laws[s->law];
        if (b->buffered == SS_EVENT_CHUNK)
            SS_TRY(spill(recorder, b));
        double P = 0; /* ‖P‖ in the last step */
        for (int row = law->offset; row < law->offset + law->dim; row++)
            P = hypot(P, ss_state_P(step->state)[row]);
        ((ss_event_entry *)b->items)[b->buffered++] =
            (ss_event_entry){s->t, s->law, (int8_t)s->from, (int8_t)s->to, P};
    }
    return SS_OK;
}

static ss_status refuse_broken(const ss_recorder *recorder)
{
    return ss_fail(recorder->context, SS_IO, "record '%s': writing failed; it ends at t = %.9g s",
                   recorder->file.path, recorder->flushed_time);
}

ss_status ss_recorder_observe(void *user, ss_simulation *simulation, const ss_step *step)
{
    (void)simulation;
    ss_recorder *recorder = user;
    if (recorder->broken)
        return refuse_broken(recorder);
    if (!step->report) { /* before the first step: a resumed run has recorded it already */
        bool first = recorder->written + recorder->buffered == 0 && recorder->observed == 0;
        return first ? record_state(recorder, step->state) : SS_OK;
    }
    recorder->observed++;
    recorder->last_report = *step->report;
    recorder->last_order = step->order;
    SS_TRY(add_events(recorder, step));
    recorder->pending = true;
    if (recorder->observed % (uint64_t)recorder->every != 0)
        return SS_OK;
    return record_state(recorder, step->state);
}

ss_status ss_recorder_set_note(ss_recorder *recorder, const char *note)
{
    return ss_arena_copy_string(&recorder->arena, note, &recorder->note);
}

/* ---- The end ---- */

static void close_tables(ss_recorder *recorder)
{
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        ss_dataset_close(&recorder->series[id].table);
    ss_list_close(&recorder->events.list);
    ss_list_close(&recorder->contacts.list);
    ss_list_close(&recorder->ranges.list);
}

static void release(ss_recorder *recorder)
{
    close_tables(recorder);
    ss_store_close(&recorder->store);
    ss_part_file_discard(&recorder->file);
    ss_arena_release(&recorder->arena);
    ss_release(recorder->context, recorder);
}

void ss_recorder_discard(ss_recorder *recorder)
{
    if (!recorder)
        return;
    ss_silence silence = ss_silence_begin();
    release(recorder);
    ss_silence_end(silence);
}

/* A last state that cannot be recorded does not take those before with it. */
static ss_status finish(ss_recorder *recorder)
{
    size_t regular = recorder->written + recorder->buffered;
    ss_status added = SS_OK;
    if (recorder->pending)
        added = add_state(recorder, ss_simulation_state(recorder->simulation));
    SS_TRY(flush(recorder, regular, ss_simulation_done(recorder->simulation)));
    SS_TRY(ss_recorder_write_verdict(recorder));
    return added;
}

/* What was written before writing failed is a valid record, unless nothing was. */
static ss_status close_file(ss_recorder *recorder)
{
    close_tables(recorder);
    bool closed = ss_store_close(&recorder->store);
    if (recorder->written == 0)
        return SS_OK;
    if (closed)
        return ss_part_file_finish(&recorder->file);
    return ss_store_fail(&recorder->store, "close", recorder->file.part);
}

ss_status ss_recorder_close(ss_recorder *recorder)
{
    if (!recorder)
        return SS_OK;
    ss_silence silence = ss_silence_begin();
    ss_status status = recorder->broken ? refuse_broken(recorder) : finish(recorder);
    ss_status closed = close_file(recorder);
    if (closed != SS_OK)
        recorder->file.part = NULL; /* not lost: it stays under its temporary name */
    release(recorder);
    ss_silence_end(silence);
    return status != SS_OK ? status : closed;
}
