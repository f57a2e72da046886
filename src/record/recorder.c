/* recorder.c: writes the states, switches and checkpoints of a run into a record. */
#include "record/recorder.h"

ss_recorder_options ss_default_recorder(void)
{
    return (ss_recorder_options){.every = 1,
                                 .contacts_every = 1,
                                 .scene_name = "",
                                 .scene_text = "",
                                 .scene_folder = "",
                                 .display = ""};
}

ss_status ss_recorder_allocate(ss_simulation *simulation, const char *path, ss_recorder **recorder)
{
    const ss_model *model = ss_simulation_model(simulation);
    ss_context *context = ss_model_context(model);
    void *memory;
    SS_TRY(ss_allocate(context, 1, sizeof(ss_recorder), &memory));
    ss_recorder *r = *recorder = memory;
    r->context = context;
    r->simulation = simulation;
    r->file.descriptor = -1;
    ss_arena_init(&r->arena, context);
    r->store = (ss_store){context, NULL, H5I_INVALID_HID};
    SS_TRY(ss_layout_of_model(&r->arena, model, &r->layout));
    SS_TRY(ss_part_file_create(&r->file, &r->arena, path));
    r->store.path = r->file.path;
    return SS_OK;
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
    ss_silence silence;
    ss_silence_begin(&silence);
    release(recorder);
    ss_silence_end(&silence);
}

static ss_status check_options(ss_context *context, const ss_recorder_options *options)
{
    if (options->every < 1 || options->every > 1000000000)
        return ss_fail(context, SS_INPUT, "record: every is %d; it must be 1 … 1e9",
                       options->every);
    if (options->contacts_every < 0 || options->contacts_every > 1000000000)
        return ss_fail(context, SS_INPUT, "record: contacts_every is %d; it must be 0 … 1e9",
                       options->contacts_every);
    return SS_OK;
}

/* Contacts are recorded where shapes can meet. */
static void choose_contacts(ss_recorder *recorder, const ss_recorder_options *options)
{
    const ss_model *model = ss_simulation_model(recorder->simulation);
    bool possible = ss_model_sizes(model).contact_capacity > 0;
    recorder->contacts.which = options->contacts;
    recorder->contacts.every = options->contacts_every > 0 ? options->contacts_every : 1;
    recorder->contacts.tables.present = possible && options->contacts != SS_RECORD_NO_CONTACTS;
}

static ss_status create(ss_simulation *simulation, const char *path,
                        const ss_recorder_options *options, ss_recorder **recorder)
{
    SS_TRY(ss_recorder_allocate(simulation, path, recorder));
    ss_recorder *r = *recorder;
    r->every = options->every;
    r->chunk = ss_recorder_chunk(&r->layout);
    choose_contacts(r, options);
    SS_TRY(ss_recorder_allocate_buffers(r));
    return ss_recorder_write_head(r, options);
}

ss_status ss_recorder_create(ss_simulation *simulation, const char *path,
                             const ss_recorder_options *options, ss_recorder **recorder)
{
    *recorder = NULL;
    ss_recorder_options o = options ? *options : ss_default_recorder();
    SS_TRY(check_options(ss_model_context(ss_simulation_model(simulation)), &o));
    ss_silence silence;
    ss_silence_begin(&silence);
    ss_status status = create(simulation, path, &o, recorder);
    if (status != SS_OK) {
        ss_recorder_discard(*recorder);
        *recorder = NULL;
    }
    ss_silence_end(&silence);
    return status;
}

/* Whether the buffers end with the chunk of the file that they are written to. */
static bool is_full(const ss_recorder *recorder)
{
    return (recorder->written + recorder->buffered) % recorder->chunk == 0;
}

static ss_status record_state(ss_recorder *recorder, const ss_state *state)
{
    SS_TRY(ss_recorder_add_state(recorder, state));
    recorder->pending = false;
    if (!is_full(recorder))
        return SS_OK;
    return ss_recorder_flush(recorder, recorder->written + recorder->buffered, false);
}

static ss_status refuse_broken(const ss_recorder *recorder)
{
    return ss_fail(recorder->context, SS_IO, "record '%s': writing failed; it ends at t = %.9g s",
                   recorder->file.path, recorder->flushed_time);
}

static ss_status observe(ss_recorder *recorder, const ss_step *step)
{
    if (recorder->broken)
        return refuse_broken(recorder);
    if (!step->report) { /* before the first step: a resumed run has recorded it already */
        bool first = recorder->written + recorder->buffered == 0 && recorder->observed == 0;
        return first ? record_state(recorder, step->state) : SS_OK;
    }
    recorder->observed++;
    recorder->last_report = *step->report;
    recorder->last_order = step->order;
    SS_TRY(ss_recorder_add_events(recorder, step));
    recorder->pending = true;
    if (recorder->observed % (uint64_t)recorder->every != 0)
        return SS_OK;
    return record_state(recorder, step->state);
}

ss_status ss_recorder_observe(void *recorder, ss_simulation *simulation, const ss_step *step)
{
    (void)simulation;
    return observe(recorder, step);
}

ss_status ss_recorder_set_note(ss_recorder *recorder, const char *note)
{
    return ss_arena_copy_string(&recorder->arena, note, &recorder->note);
}

/* A last state that cannot be recorded does not take those before with it. */
static ss_status finish(ss_recorder *recorder)
{
    size_t regular = recorder->written + recorder->buffered;
    ss_status added = SS_OK;
    if (recorder->pending)
        added = ss_recorder_add_state(recorder, ss_simulation_state(recorder->simulation));
    SS_TRY(ss_recorder_flush(recorder, regular, ss_simulation_done(recorder->simulation)));
    return added;
}

/* What was written before writing failed is a valid record, unless nothing was. */
static ss_status close_file(ss_recorder *recorder)
{
    ss_recorder_close_tables(recorder);
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
    ss_silence silence;
    ss_silence_begin(&silence);
    ss_status status = recorder->broken ? refuse_broken(recorder) : finish(recorder);
    ss_status closed = close_file(recorder);
    if (closed != SS_OK)
        recorder->file.part = NULL; /* not lost: it stays under its temporary name */
    release(recorder);
    ss_silence_end(&silence);
    return status != SS_OK ? status : closed;
}
