/* recorder.c: writes the states, switches and checkpoints of a run into a record. */
#include "record/recorder.h"
#include "base/context.h"
#include "la/elementary.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *const ss_record_contacts_names[] = {"all", "closed", "none"};

ss_recorder_options ss_default_recorder(void)
{
    return (ss_recorder_options){.every = 1,
                                 .contacts_every = 1,
                                 .flush = 10,
                                 .scene_name = "",
                                 .scene_text = "",
                                 .scene_folder = "",
                                 .display = ""};
}

static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Creation ---- */

void ss_recorder_measure(ss_recorder *recorder)
{
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++) {
        ss_series_buffer *series = &recorder->series[id];
        series->width = (size_t)ss_series_width(&recorder->layout, id);
        series->bytes = series->width * ss_number_types(ss_series[id].number).bytes;
        recorder->state_bytes += series->bytes;
    }
}

ss_status ss_recorder_allocate(ss_simulation *simulation, const char *path, ss_recorder **recorder)
{
    const ss_model *model = ss_simulation_model(simulation);
    ss_context *context = ss_model_context(model);
    SS_TRY(SS_NEW(context, 1, recorder));
    ss_recorder *r = *recorder;
    r->context = context;
    r->simulation = simulation;
    r->file.pages.descriptor = -1;
    ss_arena_init(&r->arena, context);
    r->store = (ss_store){.context = context, .file = H5I_INVALID_HID};
    r->period = ss_default_recorder().flush;
    SS_TRY(ss_layout_of_model(&r->arena, model, &r->layout));
    ss_recorder_measure(r);
    SS_TRY(ss_part_file_create(&r->file, &r->arena, path));
    r->store.path = r->file.path;
    return SS_OK;
}

static ss_status allocate_items(ss_arena *arena, size_t count, size_t bytes, ss_item_buffer *buffer)
{
    buffer->chunk = count;
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
    r->period = options->flush > 0 ? options->flush : r->period;
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
    SS_GIVEN(NULL, simulation);
    SS_GIVEN(ss_model_context(ss_simulation_model(simulation)), path);
    SS_GIVEN(ss_model_context(ss_simulation_model(simulation)), recorder);
    *recorder = NULL;
    ss_context *context = ss_model_context(ss_simulation_model(simulation));
    ss_recorder_options o = options ? *options : ss_default_recorder();
    if (o.every < 1 || o.every > 1000000000)
        return ss_fail(context, SS_INPUT, "record: every is %d; it must be 1 … 1e9", o.every);
    if (o.contacts_every < 0 || o.contacts_every > 1000000000)
        return ss_fail(context, SS_INPUT, "record: contacts_every is %d; it must be 0 … 1e9",
                       o.contacts_every);
    if (!(o.flush >= 0))
        return ss_fail(context, SS_INPUT, "record: flush is %g s; it must be >= 0", o.flush);
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

/* HDF5 gets whole chunks alone until the record is closed: its file then does not depend on when a commit was made. */
static ss_status write_silently(ss_recorder *recorder, ss_status (*write)(ss_recorder *))
{
    ss_silence silence = ss_silence_begin();
    ss_status status = write(recorder);
    if (status == SS_OK)
        status = ss_store_flush(&recorder->store);
    ss_silence_end(silence);
    recorder->broken = recorder->broken || status != SS_OK;
    return status;
}

static ss_status write_events(ss_recorder *recorder)
{
    return write_items(&recorder->events);
}

static ss_status write_contacts(ss_recorder *recorder)
{
    return write_items(&recorder->contacts);
}

static bool fills_chunk(const ss_item_buffer *b)
{
    return (b->written + b->buffered) % b->chunk == 0;
}

static ss_status write_states(ss_recorder *recorder)
{
    SS_TRY(write_items(&recorder->ranges));
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        if (ss_series_is_there(&recorder->layout, id))
            SS_TRY(ss_dataset_write(&recorder->series[id].table, recorder->written,
                                    recorder->buffered, recorder->series[id].entries));
    recorder->written += recorder->buffered;
    recorder->buffered = 0;
    return SS_OK;
}

static ss_status write_everything(ss_recorder *recorder)
{
    SS_TRY(write_contacts(recorder));
    SS_TRY(write_states(recorder));
    return write_events(recorder);
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

static ss_status put_signals(const ss_recorder *recorder, const ss_state *state)
{
    double *inputs = entry(recorder, SS_SERIES_INPUT);
    for (int i = 0; i < recorder->layout.n_inputs; i++)
        inputs[i] = ss_state_input(state, i);
    if (recorder->layout.n_outputs == 0)
        return SS_OK;
    return ss_work_outputs(ss_simulation_work(recorder->simulation), state,
                           entry(recorder, SS_SERIES_OUTPUT));
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

static void put_frames(const ss_recorder *recorder, const ss_state *state)
{
    const ss_model *model = ss_simulation_model(recorder->simulation);
    double *values = entry(recorder, SS_SERIES_FRAMES);
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        const double *q = ss_state_q(state) + system->q_offset;
        ss_at at = {.t = ss_state_time(state), .q = &q};
        for (int k = 0; k < system->n_frames; k++, values += 7) {
            ss_pose pose;
            system->ops->pose(system->object.self, &at, k, &pose);
            memcpy(values, pose.x, sizeof pose.x);
            ss_recorder_turn(pose.A, values + 3);
        }
    }
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
    if (recorder->extra && (size_t)n > b->chunk - b->buffered)
        wanted = false; /* it goes when the run goes on: HDF5 must not have its contacts */
    for (int i = 0; wanted && i < n; i++) {
        if (recorder->which == SS_RECORD_CLOSED_CONTACTS && !contacts[i].closed)
            continue;
        ((ss_contact *)b->items)[b->buffered++] = contacts[i];
        count++;
        if (!recorder->extra && fills_chunk(b))
            SS_TRY(write_silently(recorder, write_contacts));
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
    put_frames(recorder, state);
    SS_TRY(put_laws(recorder, state));
    SS_TRY(put_signals(recorder, state));
    *(int32_t *)entry(recorder, SS_SERIES_ITERATIONS) = recorder->last_report.iterations;
    put(recorder, SS_SERIES_RESIDUAL, recorder->last_report.residual.value);
    *(int8_t *)entry(recorder, SS_SERIES_OUTCOME) = (int8_t)recorder->last_report.outcome;
    *(int8_t *)entry(recorder, SS_SERIES_ORDER) = (int8_t)recorder->last_order;
    if (recorder->has_contacts)
        SS_TRY(add_contacts(recorder, state));
    if (!recorder->extra)
        ss_recorder_add_energies(recorder);
    recorder->buffered++;
    return SS_OK;
}

/* The buffers end with the chunk of the file that they are written to. */
static ss_status record_state(ss_recorder *recorder, const ss_state *state)
{
    SS_TRY(add_state(recorder, state));
    recorder->pending = false;
    size_t states = recorder->written + recorder->buffered;
    return states % recorder->chunk == 0 ? write_silently(recorder, write_states) : SS_OK;
}

static ss_status add_events(ss_recorder *recorder, const ss_step *step)
{
    ss_item_buffer *b = &recorder->events;
    for (int i = 0; i < step->n_switches; i++) {
        const ss_switch *s = &step->switches[i];
        const ss_law_info *law = &recorder->layout.laws[s->law];
        double P = 0; /* ‖P‖ in the last step */
        for (int row = law->offset; row < law->offset + law->dim; row++)
            P = ss_hypot(P, ss_state_P(step->state)[row]);
        ((ss_event_entry *)b->items)[b->buffered++] =
            (ss_event_entry){s->t, s->law, (int8_t)s->from, (int8_t)s->to, P};
        if (fills_chunk(b))
            SS_TRY(write_silently(recorder, write_events));
    }
    return SS_OK;
}

static ss_status refuse_broken(const ss_recorder *recorder)
{
    if (recorder->file.sequence == 0)
        return ss_fail(recorder->context, SS_IO,
                       "record '%s': writing failed before the first state", recorder->file.path);
    return ss_fail(recorder->context, SS_IO,
                   "record '%s': writing failed; its run up to t = %.9g s is in '%s', of which "
                   "`stickslip recover` makes a record and which `stickslip resume` continues",
                   recorder->file.path, recorder->committed_time, recorder->file.part);
}

/* ---- Commits ---- */

static ss_status make_checkpoint(ss_recorder *recorder, size_t regular, bool finished,
                                 ss_checkpoint *c)
{
    const ss_state *state = ss_simulation_state(recorder->simulation);
    void *bytes;
    *c = (ss_checkpoint){.states = regular,
                         .events = recorder->events.written + recorder->events.buffered,
                         .steps = recorder->observed,
                         .finished = finished,
                         .statistics = *ss_state_statistics(state),
                         .note = recorder->note};
    SS_TRY(ss_state_pack(recorder->context, state, &bytes, &c->bytes));
    c->state = bytes;
    return SS_OK;
}

/* A state between two recorded ones is in the commit, too, and forgotten again. */
static ss_status commit_now(ss_recorder *recorder)
{
    size_t regular = recorder->written + recorder->buffered;
    size_t contacts = recorder->contacts.buffered;
    ss_checkpoint c = {0};
    recorder->extra = recorder->pending;
    ss_status status = SS_OK;
    if (recorder->extra)
        status = add_state(recorder, ss_simulation_state(recorder->simulation));
    if (status == SS_OK)
        status = make_checkpoint(recorder, regular, false, &c);
    if (status == SS_OK)
        status = ss_commit_write(recorder, &c);
    ss_release(recorder->context, (void *)c.state);
    recorder->buffered = regular - recorder->written;
    recorder->ranges.buffered = recorder->has_contacts ? recorder->buffered : 0;
    recorder->contacts.buffered = contacts;
    recorder->extra = false;
    recorder->committed_at = clock_now();
    recorder->committed_time = ss_state_time(ss_simulation_state(recorder->simulation));
    return status;
}

ss_status ss_recorder_commit(ss_recorder *recorder)
{
    ss_status status = commit_now(recorder);
    recorder->broken = recorder->broken || status != SS_OK;
    return status;
}

/* By time; and by count, as what is not committed is in memory. */
static ss_status commit_when_due(ss_recorder *recorder)
{
    enum { MOST_PAGES = (32 << 20) / SS_PAGE };
    bool full = recorder->file.pages.count > MOST_PAGES;
    bool due = full || clock_now() - recorder->committed_at >= recorder->period;
    return due ? ss_recorder_commit(recorder) : SS_OK;
}

/* ---- Observing ---- */

static ss_status record_step(ss_recorder *recorder, const ss_step *step)
{
    recorder->observed++;
    recorder->last_report = *step->report;
    recorder->last_order = step->order;
    SS_TRY(add_events(recorder, step));
    recorder->pending = true;
    if (recorder->observed % (uint64_t)recorder->every == 0)
        SS_TRY(record_state(recorder, step->state));
    return commit_when_due(recorder);
}

ss_status ss_recorder_observe(void *user, ss_simulation *simulation, const ss_step *step)
{
    (void)simulation;
    ss_recorder *recorder = user;
    if (recorder->broken)
        return refuse_broken(recorder);
    if (step->report)
        return record_step(recorder, step);
    /* before the first step: a resumed run has recorded it already */
    if (recorder->written + recorder->buffered == 0 && recorder->observed == 0)
        SS_TRY(record_state(recorder, step->state));
    return ss_recorder_commit(recorder);
}

ss_status ss_recorder_set_note(ss_recorder *recorder, const char *note)
{
    return ss_arena_copy_string(&recorder->arena, note, &recorder->note);
}

/* ---- The end ---- */

void ss_recorder_close_tables(ss_recorder *recorder)
{
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        ss_dataset_close(&recorder->series[id].table);
    ss_list_close(&recorder->events.list);
    ss_list_close(&recorder->contacts.list);
    ss_list_close(&recorder->ranges.list);
}

static void release(ss_recorder *recorder)
{
    ss_recorder_close_tables(recorder);
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

static ss_status write_end(ss_recorder *recorder, size_t regular)
{
    ss_checkpoint c = {0};
    SS_TRY(write_everything(recorder));
    ss_status status =
        make_checkpoint(recorder, regular, ss_simulation_done(recorder->simulation), &c);
    if (status == SS_OK)
        status = ss_checkpoint_write(&recorder->store, &c);
    ss_release(recorder->context, (void *)c.state);
    return status;
}

/* HDF5 closes its file in memory; then that is committed as a whole. */
static ss_status close_store(ss_recorder *recorder)
{
    ss_recorder_close_tables(recorder);
    if (!ss_store_close(&recorder->store))
        return ss_store_fail(&recorder->store, "close", recorder->file.part);
    return ss_part_file_commit(&recorder->file, NULL, 0);
}

/* A last state that cannot be recorded does not take those before with it. */
static ss_status finish(ss_recorder *recorder)
{
    size_t regular = recorder->written + recorder->buffered;
    ss_status added = SS_OK;
    if (recorder->pending)
        added = add_state(recorder, ss_simulation_state(recorder->simulation));
    ss_status status = write_end(recorder, regular);
    if (status == SS_OK)
        status = ss_recorder_write_verdict(recorder);
    if (status == SS_OK)
        status = close_store(recorder);
    recorder->broken = recorder->broken || status != SS_OK;
    SS_TRY(status);
    SS_TRY(ss_part_file_finish(&recorder->file));
    return added;
}

/* Where the run is now. */
static ss_status leave(ss_recorder *recorder, ss_status status, bool said)
{
    char reason[1024];
    snprintf(reason, sizeof reason, "%s", ss_context_message(recorder->context));
    if (!said)
        ss_fail(recorder->context, status, "%s; the run is in '%s' (see `stickslip recover`)",
                reason, recorder->file.part);
    ss_part_file_leave(&recorder->file);
    return status;
}

/* What was committed before writing failed stays; nothing stays when nothing was. */
ss_status ss_recorder_close(ss_recorder *recorder)
{
    if (!recorder)
        return SS_OK;
    ss_silence silence = ss_silence_begin();
    bool broken = recorder->broken;
    ss_status status = broken ? refuse_broken(recorder) : finish(recorder);
    ss_recorder_close_tables(recorder);
    ss_store_close(&recorder->store);
    if (recorder->file.part && recorder->file.sequence > 0)
        status = leave(recorder, status, broken);
    release(recorder);
    ss_silence_end(silence);
    return status;
}
