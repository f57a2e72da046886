/* recorder_contacts.c: contacts of shapes on their way into the file. */
#include "record/recorder.h"

#include <string.h>

static const char *const words[] = {"all", "closed", "none"};

ss_status ss_recorder_allocate_contacts(ss_recorder *recorder)
{
    ss_contact_buffer *c = &recorder->contacts;
    if (!c->tables.present)
        return SS_OK;
    SS_TRY(SS_ARENA_NEW(&recorder->arena, recorder->chunk, &c->first));
    SS_TRY(SS_ARENA_NEW(&recorder->arena, recorder->chunk, &c->count));
    SS_TRY(SS_ARENA_NEW(&recorder->arena, SS_CONTACT_CHUNK, &c->items));
    return SS_ARENA_NEW(&recorder->arena, 3 * SS_CONTACT_CHUNK, &c->column);
}

static ss_status create_columns(ss_recorder *recorder)
{
    const ss_store *store = &recorder->store;
    for (int i = 0; i < SS_CONTACT_COLUMNS; i++) {
        const ss_contact_column *c = ss_contact_column_at(i);
        SS_TRY(ss_table_create(store, c->path, ss_number_native(c->number), c->width > 1 ? 2 : 1,
                               c->width, SS_CONTACT_CHUNK, true,
                               &recorder->contacts.tables.columns[i]));
        SS_TRY(ss_recorder_describe(store, c->path, c->unit, c->doc, NULL));
    }
    return SS_OK;
}

ss_status ss_recorder_create_contacts(ss_recorder *recorder)
{
    const ss_store *store = &recorder->store;
    ss_contact_buffer *c = &recorder->contacts;
    if (!c->tables.present)
        return SS_OK;
    SS_TRY(ss_store_group(store, "/contacts"));
    SS_TRY(ss_store_set_text(store, "/contacts", "which", words[c->which]));
    SS_TRY(ss_store_set_count(store, "/contacts", "every", (uint64_t)c->every));
    SS_TRY(ss_table_create(store, "/contacts/first", H5T_NATIVE_INT64, 1, 1, recorder->chunk, true,
                           &c->tables.first));
    SS_TRY(ss_table_create(store, "/contacts/count", H5T_NATIVE_INT32, 1, 1, recorder->chunk, true,
                           &c->tables.count));
    SS_TRY(ss_recorder_describe(store, "/contacts/first", "",
                                "where the contacts of a recorded state begin in the other tables",
                                NULL));
    SS_TRY(ss_recorder_describe(store, "/contacts/count", "",
                                "how many contacts it has; -1: they were not recorded", NULL));
    return create_columns(recorder);
}

/* ---- Going on ---- */

static ss_status read_settings(ss_recorder *recorder)
{
    const ss_store *store = &recorder->store;
    ss_contact_buffer *c = &recorder->contacts;
    const char *which = "";
    uint64_t every = 0;
    SS_TRY(ss_store_get_text(store, "/contacts", "which", &recorder->arena, &which));
    SS_TRY(ss_store_get_count(store, "/contacts", "every", &every));
    if (every == 0 || every > 1000000000)
        return ss_store_damaged(store, "/contacts", "has an impossible `every`");
    c->every = (int)every;
    c->which = strcmp(which, words[SS_RECORD_CLOSED_CONTACTS]) == 0 ? SS_RECORD_CLOSED_CONTACTS
                                                                    : SS_RECORD_ALL_CONTACTS;
    return SS_OK;
}

ss_status ss_recorder_resume_contacts(ss_recorder *recorder, size_t states)
{
    ss_contact_buffer *c = &recorder->contacts;
    int64_t first = 0;
    int32_t count = 0;
    if (!c->tables.present)
        return SS_OK;
    SS_TRY(read_settings(recorder));
    SS_TRY(ss_recorder_shorten(&c->tables.first, states));
    SS_TRY(ss_recorder_shorten(&c->tables.count, states));
    SS_TRY(ss_table_read(&c->tables.first, states - 1, 1, &first));
    SS_TRY(ss_table_read(&c->tables.count, states - 1, 1, &count));
    if (first < 0)
        return ss_store_damaged(&recorder->store, "/contacts/first", "is negative");
    c->written = (size_t)first + (size_t)(count > 0 ? count : 0);
    for (int i = 0; i < SS_CONTACT_COLUMNS; i++)
        SS_TRY(ss_recorder_shorten(&c->tables.columns[i], c->written));
    return SS_OK;
}

/* ---- Adding and writing ---- */

ss_status ss_recorder_write_contacts(ss_recorder *recorder)
{
    ss_contact_buffer *c = &recorder->contacts;
    if (c->buffered == 0)
        return SS_OK;
    for (int i = 0; i < SS_CONTACT_COLUMNS; i++) {
        ss_contact_pick(i, c->buffered, c->items, c->column);
        SS_TRY(ss_table_write(&c->tables.columns[i], c->written, c->buffered, c->column));
    }
    c->written += c->buffered;
    c->buffered = 0;
    return SS_OK;
}

ss_status ss_recorder_write_counts(ss_recorder *recorder)
{
    ss_contact_buffer *c = &recorder->contacts;
    if (!c->tables.present)
        return SS_OK;
    SS_TRY(ss_table_write(&c->tables.first, recorder->written, recorder->buffered, c->first));
    return ss_table_write(&c->tables.count, recorder->written, recorder->buffered, c->count);
}

ss_status ss_recorder_add_contacts(ss_recorder *recorder, const ss_state *state)
{
    ss_contact_buffer *c = &recorder->contacts;
    if (!c->tables.present)
        return SS_OK;
    size_t index = recorder->written + recorder->buffered;
    bool wanted = index % (size_t)c->every == 0;
    const ss_contact *contacts = ss_state_contacts(state);
    int n = ss_state_contact_count(state), count = 0;
    c->first[recorder->buffered] = (int64_t)(c->written + c->buffered);
    for (int i = 0; wanted && i < n; i++) {
        if (c->which == SS_RECORD_CLOSED_CONTACTS && !contacts[i].closed)
            continue;
        if (c->buffered == SS_CONTACT_CHUNK)
            SS_TRY(ss_recorder_spill_contacts(recorder));
        c->items[c->buffered++] = contacts[i];
        count++;
    }
    c->count[recorder->buffered] = wanted ? count : -1;
    return SS_OK;
}
