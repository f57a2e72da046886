/* commit.c: what a commit holds beside the file of HDF5, and the record that results from both when a run was killed. */
#include "record/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The rest: states, contacts and switches that do not fill a chunk yet, and the checkpoint ---- */

/* How it begins; behind it, in this order: the series, the ranges of contacts, contacts, switches, the state, the note. */
typedef struct rest_head {
    char mark[8];
    uint64_t sizes[SS_SERIES_COUNT +
                   5]; /* bytes of the entries and of this: another program may have others */
    uint64_t states, new_states; /* in the file, and behind them */
    uint64_t ranges;             /* of contacts: new_states or 0 */
    uint64_t contacts, new_contacts, events, new_events;
    uint64_t state, note;     /* bytes */
    ss_checkpoint checkpoint; /* without its pointers */
} rest_head;

static const char mark[8] = "ss rest";

static void set_sizes(const ss_recorder *recorder, rest_head *h)
{
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        h->sizes[id] = recorder->series[id].bytes;
    const uint64_t others[5] = {sizeof *h, sizeof(ss_contact_range), sizeof(ss_contact),
                                sizeof(ss_event_entry), sizeof(ss_statistics)};
    memcpy(h->sizes + SS_SERIES_COUNT, others, sizeof others);
}

/* A piece of the rest: bytes to be written, or where bytes that were read are put. */
typedef struct piece {
    void *bytes;
    size_t count;
} piece;

enum { PIECES = SS_SERIES_COUNT + 5 };

/* False: more than there can be. */
static bool list_pieces(ss_recorder *recorder, const rest_head *h, piece pieces[PIECES])
{
    bool fits = h->new_states <= recorder->chunk && h->ranges <= recorder->chunk &&
                h->new_contacts <= SS_CONTACT_CHUNK && h->new_events <= SS_EVENT_CHUNK;
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        pieces[id] =
            (piece){recorder->series[id].entries, h->new_states * recorder->series[id].bytes};
    piece *p = pieces + SS_SERIES_COUNT;
    p[0] = (piece){recorder->ranges.items, h->ranges * sizeof(ss_contact_range)};
    p[1] = (piece){recorder->contacts.items, h->new_contacts * sizeof(ss_contact)};
    p[2] = (piece){recorder->events.items, h->new_events * sizeof(ss_event_entry)};
    p[3] = (piece){(void *)h->checkpoint.state, h->state};
    p[4] = (piece){(void *)h->checkpoint.note, h->note};
    return fits;
}

ss_status ss_commit_write(ss_recorder *recorder, const ss_checkpoint *checkpoint)
{
    rest_head h = {.states = recorder->written,
                   .new_states = recorder->buffered,
                   .ranges = recorder->has_contacts ? recorder->buffered : 0,
                   .contacts = recorder->contacts.written,
                   .new_contacts = recorder->contacts.buffered,
                   .events = recorder->events.written,
                   .new_events = recorder->events.buffered,
                   .state = checkpoint->bytes,
                   .note = checkpoint->note ? strlen(checkpoint->note) : 0,
                   .checkpoint = *checkpoint};
    piece pieces[PIECES];
    memcpy(h.mark, mark, sizeof mark);
    set_sizes(recorder, &h);
    list_pieces(recorder, &h, pieces);
    size_t total = sizeof h, used = sizeof h;
    for (int i = 0; i < PIECES; i++)
        total += pieces[i].count;
    char *bytes;
    SS_TRY(SS_NEW(recorder->context, total, &bytes));
    h.checkpoint.state = h.checkpoint.note = NULL;
    memcpy(bytes, &h, sizeof h);
    for (int i = 0; i < PIECES; i++) {
        if (pieces[i].count > 0)
            memcpy(bytes + used, pieces[i].bytes, pieces[i].count);
        used += pieces[i].count;
    }
    ss_status status = ss_part_file_commit(&recorder->file, bytes, total);
    ss_release(recorder->context, bytes);
    return status;
}

/* ---- Recovering ---- */

static ss_status refuse_rest(const ss_recorder *recorder)
{
    return ss_fail(recorder->context, SS_UNSUPPORTED,
                   "record '%s': its checkpoint was written by another version of stickslip",
                   recorder->store.path);
}

/* Fills the buffers from the rest. The state and the note stay where they are. */
static ss_status read_rest(ss_recorder *recorder, char *bytes, size_t total, rest_head *h)
{
    rest_head own = {0};
    piece pieces[PIECES];
    set_sizes(recorder, &own);
    if (total < sizeof *h)
        return refuse_rest(recorder);
    memcpy(h, bytes, sizeof *h);
    h->checkpoint.state = h->checkpoint.note = NULL;
    if (memcmp(h->mark, mark, sizeof mark) != 0 ||
        memcmp(h->sizes, own.sizes, sizeof own.sizes) != 0 || !list_pieces(recorder, h, pieces) ||
        (h->ranges > 0) != (recorder->has_contacts && h->new_states > 0))
        return refuse_rest(recorder);
    size_t used = sizeof *h;
    for (int i = 0; i < PIECES; i++) {
        if (pieces[i].count > total - used)
            return refuse_rest(recorder);
        if (i == PIECES - 2)
            h->checkpoint.state = bytes + used;
        else if (i < PIECES - 2 && pieces[i].count > 0)
            memcpy(pieces[i].bytes, bytes + used, pieces[i].count);
        used += pieces[i].count;
    }
    h->checkpoint.bytes = h->state;
    return SS_OK;
}

static ss_status append_items(ss_item_buffer *b, size_t written, size_t added)
{
    SS_TRY(ss_list_shorten(&b->list, written));
    return added > 0 ? ss_list_write(&b->list, written, added, b->items, b->column) : SS_OK;
}

static ss_status append(ss_recorder *recorder, const rest_head *h)
{
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++) {
        const ss_series_buffer *series = &recorder->series[id];
        if (!ss_series_is_there(&recorder->layout, id))
            continue;
        SS_TRY(ss_dataset_shorten(&series->table, h->states));
        SS_TRY(ss_dataset_write(&series->table, h->states, h->new_states, series->entries));
    }
    if (recorder->has_contacts) {
        SS_TRY(append_items(&recorder->ranges, h->states, h->ranges));
        SS_TRY(append_items(&recorder->contacts, h->contacts, h->new_contacts));
    }
    return append_items(&recorder->events, h->events, h->new_events);
}

static ss_status merge_rest(ss_recorder *recorder, char *rest, size_t bytes, const char *note)
{
    rest_head h;
    SS_TRY(ss_layout_of_file(&recorder->arena, &recorder->store, &recorder->layout));
    ss_recorder_measure(recorder);
    SS_TRY(ss_recorder_open_tables(recorder));
    SS_TRY(ss_recorder_allocate_buffers(recorder));
    SS_TRY(read_rest(recorder, rest, bytes, &h));
    SS_TRY(append(recorder, &h));
    h.checkpoint.note = note;
    return ss_checkpoint_write(&recorder->store, &h.checkpoint);
}

/* What `from` has, read by our own reader, and the rest of a part file become a file of our own. */
static ss_status remake(ss_recorder *recorder, ss_store *from, char *rest, size_t bytes,
                        const char *note)
{
    SS_TRY(ss_store_create(&recorder->store, &recorder->file.pages));
    SS_TRY(ss_store_copy(&recorder->store, &recorder->file, from));
    if (rest)
        SS_TRY(merge_rest(recorder, rest, bytes, note));
    return ss_store_flush(&recorder->store);
}

static ss_status remake_into(ss_part_file *file, ss_store *from, char *rest, size_t bytes,
                             const char *note)
{
    ss_recorder *r; /* without a simulation */
    SS_TRY(SS_NEW(file->context, 1, &r));
    r->context = file->context;
    r->file = *file;
    r->store = (ss_store){.context = file->context, .path = from->path, .file = H5I_INVALID_HID};
    ss_arena_init(&r->arena, file->context);
    ss_status status = remake(r, from, rest, bytes, note);
    ss_recorder_close_tables(r);
    if (!ss_store_close(&r->store) && status == SS_OK)
        status = ss_store_fail(&r->store, "close", "it");
    *file = r->file;
    ss_arena_release(&r->arena);
    ss_release(file->context, r);
    return status == SS_OK ? ss_part_file_write(file) : status;
}

ss_status ss_recover_into(ss_part_file *file, ss_arena *arena, const char *from, const char *note)
{
    ss_store store = {.context = file->context, .path = from, .file = H5I_INVALID_HID};
    void *rest = NULL;
    size_t bytes = 0;
    ss_status status;
    if (ss_part_file_is(from)) {
        ss_part_file raw; /* its name goes once it is open */
        SS_TRY(ss_part_file_create(&raw, arena, file->path));
        status = ss_part_file_copy(&raw, arena, from, &rest, &bytes);
        if (status == SS_OK)
            status = ss_store_open(&store, raw.part);
        ss_part_file_discard(&raw);
    } else {
        status = ss_store_open(&store, from);
    }
    if (status == SS_OK)
        status = remake_into(file, &store, rest, bytes, note);
    ss_store_close(&store);
    return status;
}

static ss_status recover(ss_part_file *file, ss_arena *arena, const char *part, const char *to)
{
    if (!ss_part_file_is(part))
        return ss_fail(arena->context, SS_INPUT,
                       "'%s' is not what a killed run leaves: beside that are its checkpoints, "
                       "'%s.0' and '%s.1'",
                       part, part, part);
    SS_TRY(ss_part_file_create(file, arena, to));
    ss_status status = ss_recover_into(file, arena, part, "the run was killed");
    if (status == SS_OK)
        status = ss_part_file_finish(file);
    ss_part_file_discard(file);
    return status;
}

ss_status ss_record_recover(ss_context *context, const char *part, const char *to)
{
    ss_arena arena;
    ss_part_file file;
    ss_arena_init(&arena, context);
    ss_silence silence = ss_silence_begin();
    ss_status status = recover(&file, &arena, part, to);
    ss_silence_end(silence);
    ss_arena_release(&arena);
    return status;
}

/* ---- Looking at a part file ---- */

/* The copy has no name once it is open. */
ss_status ss_store_open_part(ss_store *store, ss_arena *arena, const char *part)
{
    enum { MOST = 4096 };
    const char *folder = getenv("TMPDIR");
    ss_part_file file;
    char path[MOST];
    snprintf(path, sizeof path, "%.4000s/stickslip", folder && folder[0] ? folder : "/tmp");
    SS_TRY(ss_part_file_create(&file, arena, path));
    (void)fchmod(file.pages.descriptor, S_IRUSR | S_IWUSR);
    ss_status status = ss_recover_into(&file, arena, part,
                                       "the run goes on, or was killed: this is its last commit");
    if (status == SS_OK)
        status = ss_store_open(store, file.part);
    ss_part_file_discard(&file);
    return status;
}
