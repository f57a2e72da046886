/* record_contacts.c: contacts of shapes in a record. */
#include "record/record.h"

/* Contacts that every column has: a run that was killed may have left some longer than others. */
static ss_status count_contacts(const ss_record *record, size_t *count)
{
    *count = SIZE_MAX;
    for (int i = 0; i < SS_CONTACT_COLUMNS; i++) {
        size_t length = 0;
        SS_TRY(ss_table_length(&record->contacts.columns[i], &length));
        *count = length < *count ? length : *count;
    }
    return SS_OK;
}

static ss_status check_counts(ss_record *record, size_t available)
{
    int64_t next = 0;
    for (size_t i = 0; i < record->length; i++) {
        int32_t count = record->contact_count[i] > 0 ? record->contact_count[i] : 0;
        if (record->first_contact[i] != next || record->contact_count[i] < -1)
            return ss_store_damaged(&record->store, "/contacts/first", "does not fit the counts");
        if ((uint64_t)next + (uint64_t)count > available) {
            record->length = i;
            return SS_OK;
        }
        next += count;
    }
    return SS_OK;
}

ss_status ss_record_open_contacts(ss_record *record)
{
    size_t length = 0, counts = 0, available = 0;
    SS_TRY(ss_contact_tables_open(&record->store, &record->contacts));
    if (!record->contacts.present)
        return SS_OK;
    SS_TRY(ss_table_length(&record->contacts.first, &length));
    SS_TRY(ss_table_length(&record->contacts.count, &counts));
    length = counts < length ? counts : length;
    record->length = length < record->length ? length : record->length;
    SS_TRY(SS_ARENA_NEW(&record->arena, record->length, &record->first_contact));
    SS_TRY(SS_ARENA_NEW(&record->arena, record->length, &record->contact_count));
    SS_TRY(ss_table_read(&record->contacts.first, 0, record->length, record->first_contact));
    SS_TRY(ss_table_read(&record->contacts.count, 0, record->length, record->contact_count));
    SS_TRY(count_contacts(record, &available));
    return check_counts(record, available);
}

bool ss_record_has_contacts(const ss_record *record)
{
    return record->contacts.present;
}

int ss_record_contact_count(const ss_record *record, size_t row)
{
    return record->contacts.present && row < record->length ? record->contact_count[row] : -1;
}

static ss_status check_indices(const ss_record *record, size_t count, const ss_contact *contacts)
{
    for (size_t i = 0; i < count; i++) {
        const ss_contact *c = &contacts[i];
        if (c->a < 0 || c->a >= record->n_shapes || c->b < 0 || c->b >= record->n_shapes)
            return ss_store_damaged(&record->store, "/contacts/shapes",
                                    "names a shape that is not there");
        if (c->element < 0 || c->element >= record->n_elements)
            return ss_store_damaged(&record->store, "/contacts/element",
                                    "names an element that is not there");
    }
    return SS_OK;
}

static ss_status read_columns(ss_record *record, size_t first, size_t count, ss_contact *contacts)
{
    void *memory;
    SS_TRY(ss_allocate(record->context, 3 * count, sizeof(double), &memory));
    ss_status status = SS_OK;
    for (int i = 0; status == SS_OK && i < SS_CONTACT_COLUMNS; i++) {
        status = ss_table_read(&record->contacts.columns[i], first, count, memory);
        ss_contact_fill(i, count, memory, contacts);
    }
    ss_release(record->context, memory);
    return status;
}

ss_status ss_record_read_contacts(ss_record *record, size_t row, ss_contact *contacts)
{
    int count = ss_record_contact_count(record, row);
    if (count <= 0)
        return SS_OK;
    for (int i = 0; i < count; i++)
        contacts[i] = (ss_contact){0};
    ss_silence silence;
    ss_silence_begin(&silence);
    ss_status status =
        read_columns(record, (size_t)record->first_contact[row], (size_t)count, contacts);
    ss_silence_end(&silence);
    return status == SS_OK ? check_indices(record, (size_t)count, contacts) : status;
}
