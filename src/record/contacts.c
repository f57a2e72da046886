/* contacts.c: the contacts of shapes in a record, column by column. */
#include "record/contacts.h"

#include <string.h>

#define COLUMN(path, number, width, member, unit, doc)                            \
    {                                                                             \
        "/contacts/" path, number, width, offsetof(ss_contact, member), unit, doc \
    }

static const ss_contact_column columns[SS_CONTACT_COLUMNS] = {
    COLUMN("shapes", SS_NUMBER_INT32, 2, a, "",
           "the two shapes, a and b: indices into /names/shapes, from 0"),
    COLUMN("feature", SS_NUMBER_UINT32, 1, feature, "", "tells the contacts of two shapes apart"),
    COLUMN("element", SS_NUMBER_INT32, 1, element, "",
           "whose laws it obeys: index into /names/elements, from 0"),
    COLUMN("mode", SS_NUMBER_INT8, 4, closed, "",
           "closed, slips, spins, rolls: 1 yes, 0 no; all 0: open"),
    COLUMN("point", SS_NUMBER_REAL, 3, x, "m", "where it is, in space"),
    COLUMN("normal", SS_NUMBER_REAL, 3, n, "", "unit normal from a to b"),
    COLUMN("gap", SS_NUMBER_REAL, 1, gap, "m", "gap where the scheme evaluates the laws"),
    COLUMN("impulse", SS_NUMBER_REAL, 3, P, "N s",
           "impulse on b over the step, in space; divided by dt of its state it is the force"),
    COLUMN("couple", SS_NUMBER_REAL, 3, L, "N m s",
           "impulsive couple on b over the step, of drilling and rolling friction"),
};

const ss_contact_column *ss_contact_column_at(int column)
{
    return &columns[column];
}

size_t ss_contact_column_bytes(int column)
{
    return (size_t)columns[column].width * ss_number_bytes(columns[column].number);
}

void ss_contact_pick(int column, size_t count, const ss_contact *contacts, void *memory)
{
    size_t bytes = ss_contact_column_bytes(column), offset = columns[column].offset;
    for (size_t i = 0; i < count; i++)
        memcpy((char *)memory + i * bytes, (const char *)&contacts[i] + offset, bytes);
}

void ss_contact_fill(int column, size_t count, const void *memory, ss_contact *contacts)
{
    size_t bytes = ss_contact_column_bytes(column), offset = columns[column].offset;
    for (size_t i = 0; i < count; i++)
        memcpy((char *)&contacts[i] + offset, (const char *)memory + i * bytes, bytes);
}

ss_status ss_contact_tables_open(const ss_store *store, ss_contact_tables *tables)
{
    tables->present = ss_store_has(store, "/contacts");
    if (!tables->present)
        return SS_OK;
    SS_TRY(ss_table_open(store, "/contacts/first", H5T_NATIVE_INT64, 1, 1, &tables->first));
    SS_TRY(ss_table_open(store, "/contacts/count", H5T_NATIVE_INT32, 1, 1, &tables->count));
    for (int i = 0; i < SS_CONTACT_COLUMNS; i++) {
        const ss_contact_column *c = &columns[i];
        SS_TRY(ss_table_open(store, c->path, ss_number_native(c->number), c->width > 1 ? 2 : 1,
                             c->width, &tables->columns[i]));
    }
    return SS_OK;
}

void ss_contact_tables_close(ss_contact_tables *tables)
{
    ss_table_close(&tables->first);
    ss_table_close(&tables->count);
    for (int i = 0; i < SS_CONTACT_COLUMNS; i++)
        ss_table_close(&tables->columns[i]);
}
