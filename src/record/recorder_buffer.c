/* recorder_buffer.c: states and events on their way into the file. */
#include "record/recorder.h"

#include <math.h>
#include <string.h>

/* Bytes of one recorded state. */
static size_t state_bytes(const ss_layout *layout)
{
    size_t bytes = 0;
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        bytes += (size_t)ss_series_width(layout, id) * ss_number_bytes(ss_series_at(id)->number);
    return bytes;
}

size_t ss_recorder_chunk(const ss_layout *layout)
{
    enum { TARGET = 1 << 19, FEWEST = 16, MOST = 2048 };
    size_t chunk = MOST, bytes = state_bytes(layout);
    while (chunk > FEWEST && chunk * bytes > TARGET)
        chunk /= 2;
    return chunk;
}

ss_status ss_recorder_allocate_buffers(ss_recorder *recorder)
{
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++) {
        size_t width = (size_t)ss_series_width(&recorder->layout, id);
        SS_TRY(ss_arena_allocate(&recorder->arena, recorder->chunk * width,
                                 ss_number_bytes(ss_series_at(id)->number),
                                 &recorder->buffers[id]));
    }
    return ss_recorder_allocate_contacts(recorder);
}

/* The entry of a series for the state that is being added. */
static void *entry(const ss_recorder *recorder, ss_series_id id)
{
    size_t bytes = ss_number_bytes(ss_series_at(id)->number);
    size_t width = (size_t)ss_series_width(&recorder->layout, id);
    return (char *)recorder->buffers[id] + recorder->buffered * width * bytes;
}

static void put(const ss_recorder *recorder, ss_series_id id, double value)
{
    *(double *)entry(recorder, id) = value;
}

static void put_all(const ss_recorder *recorder, ss_series_id id, const double *values)
{
    size_t width = (size_t)ss_series_width(&recorder->layout, id);
    if (width > 0)
        memcpy(entry(recorder, id), values, width * sizeof *values);
}

/* Gaps and relative velocities; rows without a gap say so. */
static ss_status put_measures(const ss_recorder *recorder, const ss_state *state)
{
    const ss_layout *layout = &recorder->layout;
    double *gap = entry(recorder, SS_SERIES_GAP), *gamma = entry(recorder, SS_SERIES_GAMMA);
    SS_TRY(ss_work_measure(ss_simulation_work(recorder->simulation), state, gap, gamma));
    for (int i = 0; i < layout->n_laws; i++) {
        const ss_law_info *law = &layout->laws[i];
        for (int k = 0; k < law->dim && law->kind == SS_KINEMATIC; k++)
            gap[law->offset + k] = (double)NAN;
    }
    return SS_OK;
}

static void put_impulses(const ss_recorder *recorder, const ss_state *state)
{
    const ss_layout *layout = &recorder->layout;
    double dt = ss_state_dt(state);
    const double *P = ss_state_P(state);
    double *force = entry(recorder, SS_SERIES_FORCE);
    for (int row = 0; row < layout->n_rows; row++)
        force[row] = dt > 0 ? P[row] / dt : 0;
    put_all(recorder, SS_SERIES_IMPULSE, P);
    int8_t *mode = entry(recorder, SS_SERIES_MODE);
    for (int i = 0; i < layout->n_laws; i++)
        mode[i] = (int8_t)ss_state_mode(state)[i];
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

ss_status ss_recorder_add_state(ss_recorder *recorder, const ss_state *state)
{
    SS_TRY(put_energies(recorder, state));
    put(recorder, SS_SERIES_TIME, ss_state_time(state));
    put(recorder, SS_SERIES_DT, ss_state_dt(state));
    put_all(recorder, SS_SERIES_Q, ss_state_q(state));
    put_all(recorder, SS_SERIES_U, ss_state_u(state));
    SS_TRY(put_measures(recorder, state));
    put_impulses(recorder, state);
    *(int32_t *)entry(recorder, SS_SERIES_ITERATIONS) = recorder->last_report.iterations;
    put(recorder, SS_SERIES_RESIDUAL, recorder->last_report.residual.value);
    *(int8_t *)entry(recorder, SS_SERIES_OUTCOME) = (int8_t)recorder->last_report.outcome;
    *(int8_t *)entry(recorder, SS_SERIES_ORDER) = (int8_t)recorder->last_order;
    SS_TRY(ss_recorder_add_contacts(recorder, state));
    recorder->buffered++;
    return SS_OK;
}

static ss_status write_events(ss_event_buffer *e)
{
    SS_TRY(ss_table_write(&e->time_table, e->written, e->buffered, e->time));
    SS_TRY(ss_table_write(&e->law_table, e->written, e->buffered, e->law));
    SS_TRY(ss_table_write(&e->from_table, e->written, e->buffered, e->from));
    SS_TRY(ss_table_write(&e->to_table, e->written, e->buffered, e->to));
    SS_TRY(ss_table_write(&e->P_table, e->written, e->buffered, e->P));
    e->written += e->buffered;
    e->buffered = 0;
    return SS_OK;
}

/* Room for everything a flush can write: whole chunks, the indices HDF5 keeps of them, the
 * checkpoint. */
static ss_status reserve(ss_recorder *recorder)
{
    hsize_t size = 0;
    if (H5Fget_filesize(recorder->store.file, &size) < 0)
        return ss_store_fail(&recorder->store, "write", "it");
    uint64_t chunks = 2 * recorder->chunk * state_bytes(&recorder->layout);
    uint64_t state = 2 * ss_state_bytes(ss_simulation_state(recorder->simulation));
    uint64_t contacts = 2 * SS_CONTACT_CHUNK * sizeof(ss_contact) + 2 * recorder->chunk * 12;
    return ss_part_file_reserve(&recorder->file, size,
                                chunks + state + (1 << 20) +
                                    (recorder->contacts.tables.present ? contacts : 0));
}

static void trim(ss_recorder *recorder)
{
    hsize_t size = 0;
    if (H5Fget_filesize(recorder->store.file, &size) >= 0)
        ss_part_file_trim(&recorder->file, size);
}

/* Ends every attempt to write: one failure is the last. */
static ss_status settle(ss_recorder *recorder, ss_status status)
{
    if (status != SS_OK)
        recorder->broken = true;
    return status;
}

static ss_status spill_events(ss_recorder *recorder)
{
    ss_silence silence;
    ss_silence_begin(&silence);
    ss_status status = reserve(recorder);
    if (status == SS_OK)
        status = write_events(&recorder->events);
    ss_silence_end(&silence);
    return settle(recorder, status);
}

ss_status ss_recorder_spill_contacts(ss_recorder *recorder)
{
    ss_silence silence;
    ss_silence_begin(&silence);
    ss_status status = reserve(recorder);
    if (status == SS_OK)
        status = ss_recorder_write_contacts(recorder);
    ss_silence_end(&silence);
    return settle(recorder, status);
}

/* ‖P‖ of a law in the last step. */
static double impulse(const ss_recorder *recorder, const ss_state *state, int law)
{
    const ss_law_info *info = &recorder->layout.laws[law];
    double norm = 0;
    for (int row = info->offset; row < info->offset + info->dim; row++)
        norm = hypot(norm, ss_state_P(state)[row]);
    return norm;
}

ss_status ss_recorder_add_events(ss_recorder *recorder, const ss_step *step)
{
    ss_event_buffer *e = &recorder->events;
    for (int i = 0; i < step->n_switches; i++) {
        const ss_switch *s = &step->switches[i];
        if (e->buffered == SS_EVENT_CHUNK)
            SS_TRY(spill_events(recorder));
        e->time[e->buffered] = s->t;
        e->law[e->buffered] = (int32_t)s->law;
        e->from[e->buffered] = (int8_t)s->from;
        e->to[e->buffered] = (int8_t)s->to;
        e->P[e->buffered] = impulse(recorder, step->state, s->law);
        e->buffered++;
    }
    return SS_OK;
}

static ss_status write_statistics(const ss_store *store, const ss_statistics *s)
{
    static const char path[] = "/statistics";
    SS_TRY(ss_store_set_count(store, path, "steps", s->steps));
    SS_TRY(ss_store_set_count(store, path, "tries", s->tries));
    SS_TRY(ss_store_set_count(store, path, "iterations", s->iterations));
    SS_TRY(ss_store_set_count(store, path, "max_iterations", s->max_iterations));
    SS_TRY(ss_store_set_count(store, path, "failures", s->failures));
    SS_TRY(ss_store_set_count(store, path, "switches", s->switches));
    SS_TRY(ss_store_set_real(store, path, "worst_residual", s->worst_residual));
    SS_TRY(ss_store_set_real(store, path, "dissipated", s->dissipated));
    SS_TRY(ss_store_set_real(store, path, "load_work", s->load_work));
    SS_TRY(ss_store_set_count(store, path, "indeterminate", s->indeterminate));
    SS_TRY(ss_store_set_count(store, path, "not_chosen", s->not_chosen));
    SS_TRY(ss_store_set_text(store, path, "forces", ss_forces_name((ss_forces)s->forces)));
    SS_TRY(ss_store_set_count(store, path, "forces_code", s->forces));
    SS_TRY(ss_store_set_count(store, path, "gains", s->gains));
    return ss_store_set_real(store, path, "gained", s->gained);
}

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
    return write_statistics(store, ss_state_statistics(state));
}

/* The contacts before the counts: what is counted is there. */
static ss_status write_states(ss_recorder *recorder)
{
    SS_TRY(ss_recorder_write_contacts(recorder));
    SS_TRY(ss_recorder_write_counts(recorder));
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        SS_TRY(ss_table_write(&recorder->tables[id], recorder->written, recorder->buffered,
                              recorder->buffers[id]));
    return SS_OK;
}

static ss_status flush(ss_recorder *recorder, size_t regular, bool finished)
{
    SS_TRY(reserve(recorder));
    SS_TRY(write_states(recorder));
    SS_TRY(write_events(&recorder->events));
    SS_TRY(write_checkpoint(recorder, regular, finished));
    if (H5Fflush(recorder->store.file, H5F_SCOPE_LOCAL) < 0)
        return ss_store_fail(&recorder->store, "write", "it");
    trim(recorder);
    recorder->written += recorder->buffered;
    recorder->buffered = 0;
    recorder->flushed_time = ss_state_time(ss_simulation_state(recorder->simulation));
    return SS_OK;
}

ss_status ss_recorder_flush(ss_recorder *recorder, size_t regular, bool finished)
{
    ss_silence silence;
    ss_silence_begin(&silence);
    ss_status status = flush(recorder, regular, finished);
    ss_silence_end(&silence);
    return settle(recorder, status);
}
